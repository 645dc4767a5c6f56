import type { Known } from '../access/callers.ts';
import type { Clock } from '../core/clock.ts';
import type { Database } from '../core/database.ts';
import type { Hub } from '../core/hub.ts';
import { limits } from '../core/limits.ts';
import { type SeenRow, seenAfter } from './store.ts';

/** A lease that lapsed, or a wake that was lost, tells nobody: how long the picture may be out of date. */
const LOOK_AGAIN_MS = 5_000;

export interface Change {
  readonly agents: readonly SeenRow[];
  readonly removedAgentIds: readonly string[];
}

/** First the whole directory, then what changed since (AGT-6). Ends with the signal; why is for the caller to say. */
export async function* watchDirectory(
  deps: { readonly orm: Database; readonly hub: Hub; readonly clock: Clock },
  caller: Known,
  signal: AbortSignal,
): AsyncGenerator<Change> {
  using waiter = deps.hub.subscribe(`account:${caller.accountId}`);
  let told: Map<string, string> | undefined;
  while (!signal.aborted) {
    const rows = await seenAfter(deps.orm.em.fork(), caller, '', limits.agentsPerAccount.max);
    if (signal.aborted) return;
    const now = new Map(rows.map((row) => [row.id, JSON.stringify(row)]));
    const agents = rows.filter((row) => told?.get(row.id) !== now.get(row.id));
    const removedAgentIds = [...(told?.keys() ?? [])].filter((id) => !now.has(id));
    if (told === undefined || agents.length > 0 || removedAgentIds.length > 0) yield { agents, removedAgentIds };
    told = now;
    await oneOf(
      signal,
      (over) => waiter.next(over),
      (over) => deps.clock.wait(LOOK_AGAIN_MS, over),
    );
  }
}

/** Resolves with the first, and lets go of the other. */
async function oneOf(signal: AbortSignal, ...waits: readonly ((over: AbortSignal) => Promise<void>)[]): Promise<void> {
  const over = new AbortController();
  const either = AbortSignal.any([signal, over.signal]);
  await Promise.race(waits.map((wait) => wait(either)));
  over.abort();
}
