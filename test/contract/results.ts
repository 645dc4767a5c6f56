import { globSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { Citation } from './citations.ts';

interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
}

/** What the last run of each suite said, where one was run: file and full title, and whether it passed. */
export function readResults(): { readonly file: string; readonly title: string; readonly passed: boolean }[] {
  return globSync('test-results/*.json').flatMap((report) =>
    (JSON.parse(readFileSync(report, 'utf8')) as Report).testResults.flatMap(({ name, assertionResults }) =>
      assertionResults.map(({ fullName, status }) => ({
        file: relative(process.cwd(), name),
        title: fullName,
        passed: status !== 'failed',
      })),
    ),
  );
}

export type Results = ReturnType<typeof readResults>;

/** The titles under this citation that failed when they were last run. */
export const failuresOf = ({ file, ids, title }: Citation, results: Results): string[] => {
  const words = `${ids.join(', ')} ${title}`.split(/[$%]/)[0]!.trim();
  return results
    .filter((result) => !result.passed && result.file === file && result.title.includes(words))
    .map((result) => result.title);
};
