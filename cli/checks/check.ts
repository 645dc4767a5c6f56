import { Refusal } from '../../bridge/client/index.ts';

/** One thing that doctor looked at. */
export interface Check {
  readonly name: string;
  readonly state: 'ok' | 'warn' | 'fail';
  readonly found: string;
  /** What to do about it; empty when all is well. */
  readonly remedy: string;
}

export const ok = (name: string, found: string): Check => ({ name, state: 'ok', found, remedy: '' });
export const warn = (name: string, found: string, remedy: string): Check => ({ name, state: 'warn', found, remedy });
export const fail = (name: string, found: string, remedy: string): Check => ({ name, state: 'fail', found, remedy });

/** What a check threw, as what it found. A refusal says itself what to do. */
export const failed = (name: string, error: unknown): Check =>
  fail(name, error instanceof Refusal ? error.sentence : String(error), '');
