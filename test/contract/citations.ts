import { globSync, readFileSync } from 'node:fs';
import { doorNames } from '../doors/names.ts';
import { ID } from './clauses.ts';
import * as through from './through.ts';

/** A test that says in its title which assertions it proves. */
export interface Citation {
  readonly file: string;
  readonly ids: readonly string[];
  /** The title after the ids, as written. */
  readonly title: string;
  /** `lacks` is a known gap: it proves that the assertion does not hold yet. */
  readonly kind: 'proves' | 'lacks' | 'test';
  readonly doors: readonly string[];
  /** Why the other doors were left out. */
  readonly because: string | undefined;
}

const quoted = String.raw`(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|` + '`(?:[^`\\\\]|\\\\.)*`)';
const call = new RegExp(
  String.raw`(?<![\w.])(proves|lacks|test|it|describe)(?:\.\w+)*(?:\((?:[^()]|\([^()]*\))*\))?\(\s*(${quoted})(?:,\s*(${quoted}))?`,
  'g',
);
const cited = new RegExp(String.raw`^(${ID}(?:, ${ID})*)(?: (.*))?$`, 's');

export const readCitations = (): Citation[] =>
  globSync(['test/**/*.test.ts', 'server/**/*.test.ts', 'bridge/**/*.test.ts', 'cli/**/*.test.ts'])
    // The test of this reader is full of titles that are nobody's.
    .filter((file) => file !== 'test/contract/coverage.test.ts')
    .toSorted()
    .flatMap((file) => parseCitations(file, readFileSync(file, 'utf8')));

/** Read from the text, since running the files to learn their titles would start servers. */
export function parseCitations(file: string, source: string): Citation[] {
  const calls = [...source.matchAll(call)];
  return calls.flatMap((found, index): Citation[] => {
    const [, verb, first, second] = found;
    const [, ids, rest] = cited.exec(unquoted(first!)) ?? [];
    if (ids === undefined) return [];
    const about = { file, ids: ids.split(', '), title: rest ?? (second === undefined ? '' : unquoted(second)) };
    // A test of the command line is a test through that door; every other plain test is about the inside.
    if (verb !== 'proves' && verb !== 'lacks')
      return [{ ...about, kind: 'test', doors: file.startsWith('cli/') ? ['cli'] : [], because: undefined }];
    const whole = source.slice(found.index, calls[index + 1]?.index);
    const named = Object.entries(through).find(([name]) => new RegExp(String.raw`\b${name}\b`).test(whole))?.[1];
    if (named !== undefined) return [{ ...about, kind: verb, ...named }];
    const doors = /\bdoors: \[([^\]]*)\]/.exec(whole)?.[1];
    const because = new RegExp(String.raw`\bbecause:\s*(${quoted})`).exec(whole)?.[1];
    return [
      {
        ...about,
        kind: verb,
        doors: doors === undefined ? doorNames : [...doors.matchAll(/'(\w+)'/g)].map(([, door]) => door!),
        because: because === undefined ? undefined : unquoted(because),
      },
    ];
  });
}

const unquoted = (text: string) => text.slice(1, -1).replaceAll(/\\(.)/g, '$1');
