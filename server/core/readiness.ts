import type { Clock } from './clock.ts';
import type { Database } from './database.ts';

const FRESH_MS = 1_000;
const ANSWER_MS = 2_000;

/** Whether the server can do what it is for. */
export interface Readiness {
  isReady(): Promise<boolean>;
}

/**
 * Asks the database to write, since one that only reads is as good as away. However many ask, it is asked once a second
 * at most.
 */
export function databaseReadiness(orm: Database, clock: Clock, draining: AbortSignal): Readiness {
  let asked = -Infinity;
  let answer = Promise.resolve(false);
  return {
    isReady: async () => {
      if (clock.now() - asked >= FRESH_MS) {
        asked = clock.now();
        answer = writes(orm);
      }
      return (await answer) && !draining.aborted;
    },
  };
}

async function writes(orm: Database): Promise<boolean> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), ANSWER_MS);
  try {
    return await Promise.race([
      // A transaction of its own that holds nothing but must reach the disk.
      orm.em
        .getConnection()
        .execute(`select pg_logical_emit_message(true, 'agentworks', 'ready')`)
        .then(() => true),
      new Promise<boolean>((done) => late.signal.addEventListener('abort', () => done(false))),
    ]);
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
  }
}
