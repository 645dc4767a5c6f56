import type { Manager } from '../../core/database.ts';
import { Statement } from '../../core/statement.ts';

export type ConnectionKind = 'login' | 'service' | 'child' | 'client' | 'browser';

/** Alive by itself: not revoked, not expired. */
const alive = (c: string): string =>
  `${c}.revoke_time is null and (${c}.expire_time is null or ${c}.expire_time > now())`;

/** Alive together with what it hangs on: a child never outlives its parent (ATT-7). `p` is the left-joined parent. */
export const LIVE = `${alive('c')} and (c.parent_id is null or (p.id is not null and ${alive('p')}))`;

/** A list for a column that holds one, or null; given twice, as JSON. */
export const LIST = 'case when ?::jsonb is null then null else array(select jsonb_array_elements_text(?::jsonb)) end';
export const listed = (words: readonly string[] | null | undefined): [string | null, string | null] => {
  const json = words === null || words === undefined ? null : JSON.stringify(words);
  return [json, json];
};

/** Ids and hashes hold nothing that an array literal would have to quote. */
const list = (words: readonly string[]): string => `{${words.join(',')}}`;

export interface LiveConnection {
  readonly id: string;
  readonly account_id: string;
  readonly kind: ConnectionKind;
  readonly parent_id: string | null;
  readonly agent_id: string | null;
  readonly agent_name: string | null;
  readonly scopes: readonly string[] | null;
  readonly targets: readonly string[] | null;
  readonly parent_scopes: readonly string[] | null;
  readonly parent_targets: readonly string[] | null;
  /** Of the access token it was asked by. */
  readonly token_scopes: readonly string[] | null;
  /** Until it, or its parent, expires. */
  readonly seconds_left: string | null;
  /** Whether it was last seen more than a minute ago. */
  readonly is_stale: boolean;
}

const SHOWN = `c.id, c.account_id, c.kind, c.parent_id, c.agent_id,
          c.scopes, c.targets, p.scopes as parent_scopes, p.targets as parent_targets,
          (select a.name from agent a where a.id = c.agent_id) as agent_name,
          extract(epoch from least(c.expire_time, p.expire_time) - now()) as seconds_left,
          coalesce(c.last_seen_time < now() - interval '1 minute', true) as is_stale`;

export const LIVE_CONNECTIONS = new Statement<LiveConnection & { secret_hash: string }>(
  'access.live_connections',
  `select c.secret_hash, null::text[] as token_scopes, ${SHOWN}
     from connection c left join connection p on p.id = c.parent_id
    where c.secret_hash = any ($1::text[]) and ${LIVE}`,
);

/** The same by the access token of an OAuth client. A stream outlives its token, never its connection. */
export const TOKEN_CONNECTIONS = new Statement<LiveConnection & { secret_hash: string }>(
  'access.token_connections',
  `select t.key as secret_hash, t.scopes as token_scopes, ${SHOWN}
     from oauth_item t join connection c on c.id = t.connection_id left join connection p on p.id = c.parent_id
    where t.kind = 'AccessToken' and t.key = any ($1::text[]) and t.expire_time > now() and ${LIVE}`,
);

/** One indexed question for all who call at one moment; run for every RPC, so that nothing revoked gets in (ACC-2). */
export async function liveConnections(
  em: Manager,
  hashes: readonly string[],
  statement = LIVE_CONNECTIONS,
): Promise<Map<string, LiveConnection>> {
  const rows = await statement.run(em, [list(hashes)]);
  return new Map(rows.map((row) => [row.secret_hash, row]));
}

/** At most once a minute each: another node may have written it by now. */
export async function noteSeen(em: Manager, ids: readonly string[]): Promise<void> {
  await em.execute(
    `update connection set last_seen_time = now()
      where id = any (?::text[]) and coalesce(last_seen_time < now() - interval '1 minute', true)`,
    [list(ids)],
  );
}

/** Which of these are live connections of the account. */
export async function aliveAmong(
  em: Manager,
  accountId: string,
  ids: readonly string[],
): Promise<Map<string, ConnectionKind>> {
  const rows: { id: string; kind: ConnectionKind }[] = await em.execute(
    `select c.id, c.kind from connection c left join connection p on p.id = c.parent_id
      where c.id in (select value from jsonb_array_elements_text(?::jsonb)) and c.account_id = ? and ${LIVE}`,
    [JSON.stringify(ids), accountId],
  );
  return new Map(rows.map((row) => [row.id, row.kind]));
}

/** Counted under the account's lock, so that the count is still true when the connection is added. */
export async function countLiveLocked(em: Manager, accountId: string): Promise<number> {
  await em.execute('select from account where id = ? for no key update', [accountId]);
  // A statement of its own: it must see what the last holder of the lock committed.
  const rows: { count: number }[] = await em.execute(
    `select count(*)::int as count from connection c left join connection p on p.id = c.parent_id
      where c.account_id = ? and ${LIVE}`,
    [accountId],
  );
  return rows[0]!.count;
}

export async function addConnection(
  em: Manager,
  row: {
    readonly id: string;
    readonly accountId: string;
    readonly kind: ConnectionKind;
    readonly label: string;
    readonly secretHash: string;
    readonly parentId?: string;
    readonly agentId?: string;
    readonly scopes?: readonly string[];
    readonly targets?: readonly string[];
    readonly expireSeconds?: number;
  },
): Promise<void> {
  await em.execute(
    `insert into connection (id, account_id, kind, label, secret_hash, parent_id, agent_id, scopes, targets, expire_time)
     values (?, ?, ?, ?, ?, ?, ?, ${LIST}, ${LIST}, now() + ?::float8 * interval '1 second')`,
    [
      row.id,
      row.accountId,
      row.kind,
      row.label,
      row.secretHash,
      row.parentId ?? null,
      row.agentId ?? null,
      ...listed(row.scopes),
      ...listed(row.targets),
      row.expireSeconds ?? null,
    ],
  );
}

/** Gives the agent's live child another secret and another parent; undefined when none is alive. */
export async function renewChild(
  em: Manager,
  child: { readonly agentId: string; readonly parentId: string; readonly label: string; readonly secretHash: string },
): Promise<string | undefined> {
  const rows: { id: string }[] = await em.execute(
    `update connection set secret_hash = ?, parent_id = ?, label = ?
      where id = (select c.id from connection c left join connection p on p.id = c.parent_id
                   where c.agent_id = ? and c.kind = 'child' and ${LIVE}
                   order by c.create_time desc, c.id limit 1 for no key update of c)
      returning id`,
    [child.secretHash, child.parentId, child.label, child.agentId],
  );
  return rows[0]?.id;
}

/** Those that a newer child supersedes, or all of them; answers the ids. */
export async function revokeChildrenOf(em: Manager, agentId: string, exceptId = ''): Promise<string[]> {
  const rows: { id: string }[] = await em.execute(
    `update connection set revoke_time = now()
      where agent_id = ? and kind = 'child' and revoke_time is null and id <> ? returning id`,
    [agentId, exceptId],
  );
  return rows.map((row) => row.id);
}

/** A connection and all its children, at one time; nothing changes for what was revoked before. Whether anything did. */
export async function revokeWithChildren(em: Manager, accountId: string, id: string): Promise<boolean> {
  const rows: unknown[] = await em.execute(
    `update connection set revoke_time = now()
      where (id = ? or parent_id = ?) and account_id = ? and revoke_time is null returning id`,
    [id, id, accountId],
  );
  return rows.length > 0;
}

/** The agents whose children are this connection or hang on it. */
export async function agentsOn(em: Manager, accountId: string, id: string): Promise<string[]> {
  const rows: { agent_id: string }[] = await em.execute(
    `select distinct agent_id from connection
      where (id = ? or parent_id = ?) and account_id = ? and agent_id is not null and revoke_time is null`,
    [id, id, accountId],
  );
  return rows.map((row) => row.agent_id);
}

/** The connection and what was revoked in the same moment with it: the same answer however often it is asked. */
export function revokedWith(
  em: Manager,
  accountId: string,
  id: string,
): Promise<{ readonly id: string; readonly agent_id: string | null }[]> {
  return em.execute(
    `select c.id, c.agent_id from connection t join connection c on c.id = t.id or c.parent_id = t.id
      where t.id = ? and t.account_id = ? and c.revoke_time = t.revoke_time
      order by c.id <> t.id, c.id`,
    [id, accountId],
  );
}

/** What can be changed of a connection. */
export interface ChangeableRow {
  readonly kind: ConnectionKind;
  readonly label: string;
  readonly scopes: readonly string[] | null;
  readonly targets: readonly string[] | null;
}

/** While it is alive; locked, so that of two who narrow it the second sees what the first left. */
export async function lockConnection(em: Manager, accountId: string, id: string): Promise<ChangeableRow | undefined> {
  const rows: ChangeableRow[] = await em.execute(
    `select c.kind, c.label, c.scopes, c.targets from connection c left join connection p on p.id = c.parent_id
      where c.id = ? and c.account_id = ? and ${LIVE} for no key update of c`,
    [id, accountId],
  );
  return rows[0];
}

export async function changeConnection(em: Manager, id: string, to: Omit<ChangeableRow, 'kind'>): Promise<void> {
  await em.execute(`update connection set label = ?, scopes = ${LIST}, targets = ${LIST} where id = ?`, [
    to.label,
    ...listed(to.scopes),
    ...listed(to.targets),
    id,
  ]);
}

export async function childrenOf(em: Manager, id: string): Promise<string[]> {
  const rows: { id: string }[] = await em.execute(
    'select id from connection where parent_id = ? and revoke_time is null',
    [id],
  );
  return rows.map((row) => row.id);
}
