import { expect } from 'vitest';
import type { Audit } from './audit.ts';

/** Prints what a test counted, on one line that a program can read too. */
export function figures(name: string, counts: Readonly<Record<string, number | string>>): void {
  const line = Object.entries(counts).map(([what, count]) => `${what}=${count}`);
  // The reporter would put a heading above each console.log.
  process.stdout.write(`${name}: ${line.join(' ')}\n`);
}

/** The line of a fault test, printed before it is judged, so that a failure shows what was counted. */
export function judge(name: string, counts: Readonly<Record<string, number | string>>, found: Audit): void {
  const { acked, uncertain, read, faults } = found;
  figures(name, { ...counts, acked, uncertain, read, ...faults });
  // A fault test in which nothing was sent shows nothing.
  expect(acked).toBeGreaterThan(0);
  expect(Object.entries(faults).filter(([, count]) => count > 0)).toEqual([]);
}
