import type { Citation } from './citations.ts';
import type { Assertion, Clause } from './clauses.ts';
import { failuresOf, type Results } from './results.ts';

/** How a clause stands: the form that `npm run -s contract -- --json` prints. */
export interface Standing {
  readonly id: string;
  readonly proven: boolean;
  /** The ways through which tests prove it. */
  readonly doors: readonly string[];
  readonly tests: readonly string[];
  /** The assertions that are not proven. */
  readonly missing: readonly string[];
  /** Why they are not, and why doors were left out. */
  readonly because: string;
}

export const standings = (clauses: readonly Clause[], citations: readonly Citation[], results: Results): Standing[] =>
  clauses.map((clause) => {
    const judged = clause.assertions.map((assertion) => judge(assertion, citations, results));
    const missing = judged.filter(({ lack }) => lack !== undefined);
    const about = judged.flatMap(({ proofs }) => proofs);
    return {
      id: clause.id,
      proven: missing.length === 0 && judged.length > 0,
      doors: unique(about.flatMap(({ doors }) => (doors.length === 0 ? ['server'] : doors))),
      tests: unique(about.map(({ file, ids, title }) => `${file} > ${ids.join(', ')} ${title}`)),
      missing: missing.map(({ id }) => id),
      because: unique([
        ...missing.map(({ id, lack }) => `${id} ${lack}`),
        ...about.flatMap(({ ids, because }) => (because === undefined ? [] : [`${ids.join(', ')}: ${because}`])),
      ]).join('; '),
    };
  });

interface Judged {
  readonly id: string;
  readonly proofs: readonly Citation[];
  /** What stands between the assertion and its proof. */
  readonly lack: string | undefined;
}

function judge({ id, ways, by }: Assertion, citations: readonly Citation[], results: Results): Judged {
  const about = citations.filter(({ ids }) => ids.includes(id));
  const proofs = about.filter(({ kind }) => kind !== 'lacks');
  const lack = () => {
    if (by !== undefined) return `is built with ${by}`;
    const gap = about.find(({ kind }) => kind === 'lacks');
    if (gap !== undefined) return `is a known gap: ${gap.because}`;
    if (proofs.length === 0) return 'has no test';
    const failing = proofs.flatMap((proof) => failuresOf(proof, results));
    if (failing.length > 0) return `fails: ${failing.join(', ')}`;
    const left = ways.filter((way) => !covers(way, proofs));
    return left.length > 0 ? `has no test through ${left.join(', ')}` : undefined;
  };
  return { id, proofs, lack: lack() };
}

/** A door that a test leaves out with a reason is accounted for; `server` and `client` are proven by any test. */
const covers = (way: string, proofs: readonly Citation[]): boolean =>
  way === 'server' ||
  way === 'client' ||
  proofs.some(({ doors, because }) => doors.includes(way) || because !== undefined);

const unique = <T>(values: readonly T[]): T[] => [...new Set(values)];
