import type { Manager } from '../../core/database.ts';
import { type ConnectionKind, LIVE } from './connections.ts';

/** A connection as its owner sees it. */
export interface ShownConnection {
  readonly id: string;
  readonly kind: ConnectionKind;
  readonly label: string;
  readonly parent_id: string | null;
  readonly agent_name: string | null;
  readonly scopes: readonly string[] | null;
  readonly targets: readonly string[] | null;
  readonly parent_scopes: readonly string[] | null;
  readonly parent_targets: readonly string[] | null;
  readonly client_name: string | null;
  readonly redirect_host: string | null;
  readonly create_time: string;
  /** The same to the microsecond, as a number that a cursor can carry. */
  readonly create_micros: string;
  readonly last_seen_time: string | null;
  readonly expire_time: string | null;
  readonly revoke_time: string | null;
}

export interface Position {
  readonly micros: string;
  readonly id: string;
}

const SHOWN = `
  select c.id, c.kind, c.label, c.parent_id, c.create_time, c.last_seen_time, c.expire_time, c.revoke_time,
         c.scopes, c.targets, p.scopes as parent_scopes, p.targets as parent_targets, c.client_name, c.redirect_host,
         (select a.name from agent a where a.id = c.agent_id) as agent_name,
         (extract(epoch from c.create_time) * 1000000)::bigint as create_micros
    from connection c left join connection p on p.id = c.parent_id`;

/** Newest first, from before the position. */
export function shownBefore(
  em: Manager,
  which: { readonly accountId: string; readonly includeEnded: boolean },
  before: Position | undefined,
  count: number,
): Promise<ShownConnection[]> {
  return em.execute(
    `${SHOWN}
      where c.account_id = ? and (?::boolean or (${LIVE}))
        and (?::bigint is null
             or (c.create_time, c.id) < ('epoch'::timestamptz + ?::bigint * interval '1 microsecond', ?::text))
      order by c.create_time desc, c.id desc limit ?`,
    [which.accountId, which.includeEnded, before?.micros ?? null, before?.micros ?? null, before?.id ?? null, count],
  );
}

export async function shownOne(em: Manager, id: string): Promise<ShownConnection> {
  const rows: ShownConnection[] = await em.execute(`${SHOWN} where c.id = ?`, [id]);
  return rows[0]!;
}

/** What the caller is told of itself. */
export async function whoIs(em: Manager, id: string): Promise<{ account_name: string; kind: ConnectionKind }> {
  const rows: { account_name: string; kind: ConnectionKind }[] = await em.execute(
    'select a.name as account_name, c.kind from connection c join account a on a.id = c.account_id where c.id = ?',
    [id],
  );
  return rows[0]!;
}
