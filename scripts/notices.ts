import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly author?: string | { readonly name: string };
}

/** The licence of every package whose files went into a bundle, as each of them asks for; fails where one has none. */
export function notices(inputs: readonly string[]): { readonly text: string; readonly count: number } {
  const packages = Map.groupBy(inputs, packageFolder);
  packages.delete(undefined);
  const sections = [...packages].map(([folder, files]) => notice(folder!, files)).toSorted();
  const head =
    'This package contains the following packages, each under its own licence. The text of Apache-2.0 is in LICENSE.';
  return { text: `${[head, ...sections].join(`\n\n${'-'.repeat(80)}\n\n`)}\n`, count: sections.length };
}

/** `node_modules/pino/lib/x.js` → `node_modules/pino`; undefined for our own files. */
function packageFolder(input: string): string | undefined {
  return /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0];
}

function notice(folder: string, files: readonly string[]): string {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
  const { name, version, license, author } = manifest;
  const texts = textsIn(folder);
  // A package without a licence file says it elsewhere: in its files, in its README, or by the name of its author.
  const said = texts.length > 0 ? texts : [...headsOf(files), ...readmeOf(folder)];
  const by = typeof author === 'object' ? author.name : author;
  if (said.length === 0 && by !== undefined) said.push(`Copyright ${by}`);
  if (license === undefined || said.length === 0)
    throw new Error(`${name} ${version} names no licence, or nobody who gives it, and cannot be bundled`);
  return [`${name} ${version} (${license})`, ...said].join('\n\n');
}

const textsIn = (folder: string): string[] =>
  readdirSync(folder)
    .filter((file) => /^(licen[cs]e|notice|copying)([.-].*)?$/i.test(file))
    .map((file) => readFileSync(join(folder, file), 'utf8').trim());

/** Each copyright comment once. */
function headsOf(files: readonly string[]): Set<string> {
  const comments = files.flatMap((file) => [...readFileSync(file, 'utf8').matchAll(/(?:^\/\/.*\n)+|^\/\*[^]*?\*\//gm)]);
  return new Set(
    comments
      .map(([comment]) => comment.replaceAll(/^(?:\/\/|\/\*+!?| \*\/?) ?/gm, '').trim())
      .filter((comment) => /copyright/i.test(comment)),
  );
}

function readmeOf(folder: string): string[] {
  const readme = readdirSync(folder).find((file) => /^readme(\.md)?$/i.test(file));
  const text = readme === undefined ? '' : readFileSync(join(folder, readme), 'utf8');
  const section = /^#+ *licen[cs]e\b[^\n]*\n([^]*?)(?=^#|$(?![^]))/im.exec(text)?.[1]?.trim();
  return section === undefined ? [] : [section];
}
