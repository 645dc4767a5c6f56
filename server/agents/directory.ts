import { mayReach, type Viewer } from '../access/bounds.ts';
import type { Clock } from '../core/clock.ts';
import { type Database, readTime } from '../core/database.ts';
import { Loader } from '../core/loader.ts';
import type { Log } from '../core/log.ts';
import { nearNames } from '../core/near.ts';
import { foldName, isName } from './names.ts';
import { presenceOf, type Reach } from './reach.ts';
import { findNames, namesOf, reachOf, touch } from './store.ts';

/** A name, and the identity behind it. */
interface Named {
  readonly id: string;
  readonly name: string;
}

/** The directory as other capabilities use it. */
export interface Directory {
  /**
   * The name without regard to case. What was found may be remembered: whoever stores something rechecks that the agent
   * is there in its own statement, and forgets the name when it is not.
   */
  find(viewer: Viewer, name: string): Promise<Named | undefined>;
  forget(accountId: string, name: string): void;
  /** Names that the viewer may see and that are near a wrong one, nearest first, at most 5. */
  suggest(viewer: Viewer, name: string): Promise<string[]>;
  /** All names of the account that the viewer may see. */
  names(viewer: Viewer): Promise<Named[]>;
  reach(agentIds: readonly string[]): Promise<Map<string, Reach>>;
  /** The agent called, or holds a stream. Costs nothing here; written at most once a minute. */
  seen(agentId: string): void;
  /** Resolves once what was seen is written. */
  close(): Promise<void>;
}

/** More than a server's names, so that nothing in use is ever dropped. */
const REMEMBERED = 4_000;
const SEEN_EVERY_MS = 60_000;

export function openDirectory(deps: { readonly orm: Database; readonly clock: Clock; readonly log: Log }): Directory {
  const fork = () => deps.orm.em.fork();
  const remembered = new Map<string, Named>();
  const lookUp = new Loader(async (keys: readonly string[]) => {
    const rows = await findNames(fork(), keys.map(unkeyed));
    return new Map(rows.map(({ id, name, account_id, name_key }) => [keyed(account_id, name_key), { id, name }]));
  });
  const reaches = new Loader(async (ids: readonly string[]) => {
    const rows = await reachOf(fork(), ids);
    return new Map(rows.map((row) => [row.id, reachFrom(row)]));
  });
  const sightings = openSightings(deps);
  const seen = async (viewer: Viewer) =>
    (await namesOf(fork(), viewer.accountId)).filter((agent) => mayReach(viewer, agent.name));
  return {
    async find(viewer, name) {
      if (!isName(name) || !mayReach(viewer, name)) return undefined;
      const key = keyed(viewer.accountId, foldName(name));
      const known = remembered.get(key);
      if (known !== undefined) return known;
      const found = await lookUp.load(key);
      if (found === undefined) return undefined;
      if (remembered.size >= REMEMBERED) remembered.clear();
      remembered.set(key, found);
      return found;
    },
    forget: (accountId, name) => void remembered.delete(keyed(accountId, foldName(name))),
    suggest: async (viewer, name) =>
      nearNames(
        name,
        (await seen(viewer)).map((agent) => agent.name),
      ),
    names: seen,
    async reach(agentIds) {
      const found = await Promise.all(agentIds.map(async (id) => [id, await reaches.load(id)] as const));
      const known = found.filter((entry): entry is [string, Reach] => entry[1] !== undefined);
      return new Map(
        known.map(([id, at]) => [id, { ...at, lastSeenTime: later(at.lastSeenTime, sightings.last(id)) }]),
      );
    },
    seen: (agentId) => sightings.seen(agentId),
    close: () => sightings.close(),
  };
}

const keyed = (accountId: string, nameKey: string) => `${accountId} ${nameKey}`;

function unkeyed(key: string): { accountId: string; nameKey: string } {
  const [accountId, nameKey] = key.split(' ');
  return { accountId: accountId!, nameKey: nameKey! };
}

function reachFrom(row: Awaited<ReturnType<typeof reachOf>>[number]): Reach {
  const lastSeenTime = row.last_seen_time === null ? undefined : readTime(row.last_seen_time);
  return { presence: presenceOf(row), route: row.route, wakes: row.wakes, lastSeenTime };
}

/** What this node saw a moment ago may not be written yet. */
const later = (written: Date | undefined, seen: number | undefined): Date | undefined =>
  seen !== undefined && seen > (written?.getTime() ?? 0) ? new Date(seen) : written;

/** While one write runs, the next collects: no timer, and never more than one connection. */
function openSightings(deps: { readonly orm: Database; readonly clock: Clock; readonly log: Log }) {
  const lastWritten = new Map<string, number>();
  const waiting = new Set<string>();
  let writing: Promise<void> | undefined;

  async function write(): Promise<void> {
    while (waiting.size > 0) {
      const ids = [...waiting];
      waiting.clear();
      try {
        await touch(deps.orm.em.fork(), ids);
      } catch (error) {
        deps.log.warn({ event: 'sightings.lost', err: error });
      }
    }
    writing = undefined;
  }

  return {
    last: (agentId: string): number | undefined => lastWritten.get(agentId),
    seen(agentId: string): void {
      const now = deps.clock.now();
      if (now - (lastWritten.get(agentId) ?? -Infinity) < SEEN_EVERY_MS) return;
      if (lastWritten.size >= REMEMBERED) lastWritten.clear();
      lastWritten.set(agentId, now);
      waiting.add(agentId);
      writing ??= write();
    },
    close: async (): Promise<void> => writing,
  };
}
