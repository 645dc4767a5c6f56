import type { Manager } from '../../core/database.ts';

export interface ItemRow {
  readonly key: string;
  readonly sealed: string;
  readonly uses: number;
  /** Milliseconds since the epoch. */
  readonly first_use: string | null;
}

const COLUMNS = 'key, sealed, uses, (extract(epoch from first_use_time) * 1000)::bigint as first_use';

/** Kept until it expires; what is kept again keeps how often it was used. */
export async function keepItem(
  em: Manager,
  item: {
    readonly kind: string;
    readonly key: string;
    readonly connectionId: string | undefined;
    readonly lookupHash: string | undefined;
    readonly scopes: readonly string[] | undefined;
    readonly sealed: string;
    readonly expireSeconds: number;
  },
): Promise<void> {
  await em.execute(
    `insert into oauth_item (kind, key, connection_id, lookup_hash, scopes, sealed, expire_time)
     values (?, ?, ?, ?, (select array_agg(value) from jsonb_array_elements_text(?::jsonb)), ?,
             now() + ?::float8 * interval '1 second')
     on conflict (kind, key) do update
       set connection_id = excluded.connection_id, lookup_hash = excluded.lookup_hash, scopes = excluded.scopes,
           sealed = excluded.sealed, expire_time = excluded.expire_time`,
    [
      item.kind,
      item.key,
      item.connectionId ?? null,
      item.lookupHash ?? null,
      item.scopes === undefined ? null : JSON.stringify(item.scopes),
      item.sealed,
      item.expireSeconds,
    ],
  );
}

export async function itemByKey(em: Manager, kind: string, key: string): Promise<ItemRow | undefined> {
  const rows: ItemRow[] = await em.execute(
    `select ${COLUMNS} from oauth_item where kind = ? and key = ? and expire_time > now()`,
    [kind, key],
  );
  return rows[0];
}

export async function itemByLookup(em: Manager, kind: string, lookupHash: string): Promise<ItemRow | undefined> {
  const rows: ItemRow[] = await em.execute(
    `select ${COLUMNS} from oauth_item where lookup_hash = ? and kind = ? and expire_time > now()`,
    [lookupHash, kind],
  );
  return rows[0];
}

/** Counts one use; only the first sets the time. Answers how often it was used with this. */
export async function useItem(em: Manager, kind: string, key: string, nowMs: number): Promise<number> {
  const rows: { uses: number }[] = await em.execute(
    `update oauth_item
        set uses = uses + 1, first_use_time = coalesce(first_use_time, to_timestamp(?::float8 / 1000))
      where kind = ? and key = ? returning uses`,
    [nowMs, kind, key],
  );
  return rows[0]?.uses ?? 0;
}

export async function dropItem(em: Manager, kind: string, key: string): Promise<void> {
  await em.execute('delete from oauth_item where kind = ? and key = ?', [kind, key]);
}

export async function dropItemsOf(em: Manager, kind: string, connectionId: string): Promise<void> {
  await em.execute('delete from oauth_item where connection_id = ? and kind = ?', [connectionId, kind]);
}

/** A registered client that somebody let in is kept from then on for so long. */
export async function prolongItem(em: Manager, kind: string, key: string, expireSeconds: number): Promise<void> {
  await em.execute(
    `update oauth_item set uses = uses + 1, expire_time = now() + ?::float8 * interval '1 second'
      where kind = ? and key = ?`,
    [expireSeconds, kind, key],
  );
}

/** Of those that were never used, all but the newest. */
export async function dropOldestUnused(em: Manager, kind: string, keep: number): Promise<void> {
  await em.execute(
    `delete from oauth_item where kind = ? and key in
       (select key from oauth_item where kind = ? and uses = 0 order by expire_time desc offset ?)`,
    [kind, kind, keep],
  );
}

/** A few at a time, whenever something new is kept. */
export async function dropExpired(em: Manager, kinds: readonly string[]): Promise<void> {
  await em.execute(
    `delete from oauth_item where (kind, key) in
       (select i.kind, i.key from jsonb_array_elements_text(?::jsonb) k
         cross join lateral (select kind, key from oauth_item
                              where kind = k.value and expire_time < now() limit 100 for update skip locked) i)`,
    [JSON.stringify(kinds)],
  );
}
