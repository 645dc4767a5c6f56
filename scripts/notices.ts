import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
}

/** The licence of every package whose files went into a bundle, as each of them asks for; fails where one has none. */
export function notices(inputs: readonly string[]): { readonly text: string; readonly count: number } {
  const folders = new Set(inputs.map(packageFolder).filter((folder) => folder !== undefined));
  const sections = [...folders].toSorted().map((folder) => {
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
    const { name, version, license } = manifest;
    if (license === undefined) throw new Error(`${name} ${version} names no licence and cannot be bundled`);
    return [`${name} ${version} (${license})`, ...licenceTexts(folder)].join('\n\n');
  });
  const head = 'This package contains the following packages, each under its own licence.';
  return { text: `${[head, ...sections].join(`\n\n${'-'.repeat(80)}\n\n`)}\n`, count: sections.length };
}

/** `node_modules/pino/lib/x.js` → `node_modules/pino`; undefined for our own files. */
function packageFolder(input: string): string | undefined {
  return /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0];
}

function licenceTexts(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((file) => /^(licen[cs]e|notice|copying)([.-].*)?$/i.test(file))
    .map((file) => readFileSync(join(folder, file), 'utf8').trim());
}
