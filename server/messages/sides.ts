import type { Database } from '../core/database.ts';
import { Loader } from '../core/loader.ts';
import { type Sides, sidesOf } from './store/sides.ts';

const REMEMBERED = 20_000;

/** Finds a side of a conversation for its account. Sides never change once made, so they may be remembered. */
export function openSides(orm: Database): (accountId: string, inboxId: string) => Promise<Sides | undefined> {
  const loader = new Loader((inboxIds: readonly string[]) => sidesOf(orm.em.fork(), inboxIds));
  const remembered = new Map<string, Sides & { accountId: string }>();
  return async (accountId, inboxId) => {
    const sides = remembered.get(inboxId) ?? (await loader.load(inboxId));
    if (sides === undefined) return undefined;
    if (remembered.size >= REMEMBERED) remembered.delete(remembered.keys().next().value!);
    remembered.set(inboxId, sides);
    return sides.accountId === accountId ? sides : undefined;
  };
}
