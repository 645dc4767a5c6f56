import type pg from 'pg';
import type { Clock } from './clock.ts';
import { openClient, type Where } from './database.ts';
import type { Log } from './log.ts';

/** Short at first, since a node that is out of touch for ten seconds must stop its streams. */
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 2_000;

/** A database that does not answer for this long is taken for gone. */
const PATIENCE_MS = 2_500;

/** One question, answered soon or not at all: the connection that it was asked on is then no good any more. */
export function ask<Row extends object>(client: pg.Client, text: string, values: unknown[] = []) {
  const query = { text, values, query_timeout: PATIENCE_MS };
  return client.query<Row>(query);
}

export interface Keeping {
  readonly where: Where;
  readonly clock: Clock;
  readonly log: Log;
  /** What the connection is for, in the log. */
  readonly purpose: string;
}

/**
 * A connection that comes back: `use` has it for as long as it lives, and gets another, after a pause with jitter,
 * whenever it is lost. Resolves once `closing` aborts; never rejects.
 */
export async function keepConnected(
  { where, clock, log, purpose }: Keeping,
  closing: AbortSignal,
  use: (client: pg.Client, lost: AbortSignal) => Promise<void>,
): Promise<void> {
  let pause = FIRST_PAUSE_MS;
  while (!closing.aborted) {
    const begun = performance.now();
    await once(where, closing, async (client, lost) => {
      // Seen in pg_stat_activity: whoever looks there finds out what a connection is for.
      await ask(client, `select set_config('application_name', $1, false)`, [`agentworks ${purpose}`]);
      await use(client, lost);
    }).catch((error: unknown) => {
      if (!closing.aborted) log.warn({ event: 'database.connection_lost', purpose, err: error });
    });
    const wasUseful = performance.now() - begun > LONGEST_PAUSE_MS;
    pause = wasUseful ? FIRST_PAUSE_MS : Math.min(pause * 2, LONGEST_PAUSE_MS);
    await clock.wait(pause * (0.5 + Math.random() / 2), closing);
  }
}

async function once(where: Where, closing: AbortSignal, use: (client: pg.Client, lost: AbortSignal) => Promise<void>) {
  const client = openClient(where);
  const gone = new AbortController();
  let reason: Error | undefined;
  // Without a listener an error of an idle connection would end the process.
  client.on('error', (error) => {
    reason = error;
    gone.abort();
  });
  client.on('end', () => gone.abort());
  try {
    await client.connect();
    await use(client, AbortSignal.any([closing, gone.signal]));
    if (reason !== undefined) throw reason;
  } finally {
    await end(client);
  }
}

/** A database that hangs may not hold us up: what does not say goodbye within a second is cut off. */
async function end(client: pg.Client): Promise<void> {
  const cut = setTimeout(() => (client as unknown as Wired).connection.stream.destroy(), 1_000);
  await client.end().catch(() => {});
  clearTimeout(cut);
}

/** What pg keeps to itself. */
interface Wired {
  readonly connection: { readonly stream: { destroy(): void } };
}
