import type { Viewer } from '../access/bounds.ts';
import type { Manager } from '../core/database.ts';
import { Statement } from '../core/statement.ts';
import type { LeaseFacts } from './reach.ts';

/** A name as its owner manages it. */
export interface AgentRow {
  readonly id: string;
  readonly name: string;
  readonly connection_id: string;
  readonly allowed_connection_ids: string[];
}

/** A name as the directory shows it. */
export interface SeenRow extends AgentRow, LeaseFacts {
  readonly name_key: string;
  readonly provider: string;
  readonly purpose: string;
  readonly last_seen_time: string | null;
  readonly create_time: string;
  readonly route: string;
  /** Whether a waiting message was refused its wake, and the guard's sentence where it was asked. */
  readonly wake_refused: boolean;
  readonly wake_refusal: string | null;
}

/** Locked, so that whoever changes a name sees it as it is and keeps it so until commit. */
export async function lockAgent(em: Manager, accountId: string, nameKey: string): Promise<AgentRow | undefined> {
  const rows: AgentRow[] = await em.execute(
    `select id, name, connection_id, allowed_connection_ids from agent
      where account_id = ? and name_key = ? and remove_time is null for no key update`,
    [accountId, nameKey],
  );
  return rows[0];
}

const REGISTER_LOCK = 7718;

/** One new name at a time on the whole server: what is counted under this lock is still true when the name is added. */
export async function countAgentsLocked(em: Manager, accountId: string): Promise<{ account: number; server: number }> {
  await em.execute('select pg_advisory_xact_lock(?)', [REGISTER_LOCK]);
  // A statement of its own: it must see what the last holder of the lock committed.
  const rows: { account: number; server: number }[] = await em.execute(
    `select count(*) filter (where account_id = ?)::int as account, count(*)::int as server
       from agent where remove_time is null`,
    [accountId],
  );
  return rows[0]!;
}

/** The name and its mailbox, which has the agent's id. */
export async function addAgent(
  em: Manager,
  agent: { id: string; accountId: string; name: string; nameKey: string; connectionId: string },
): Promise<void> {
  await em.execute(
    `with named as (
       insert into agent (id, account_id, name, name_key, connection_id) values (?, ?, ?, ?, ?) returning id, account_id)
     insert into mailbox (id, account_id) select id, account_id from named`,
    [agent.id, agent.accountId, agent.name, agent.nameKey, agent.connectionId],
  );
}

/** Changes what is given; undefined keeps what is stored. */
export async function changeAgent(
  em: Manager,
  id: string,
  to: { provider?: string | undefined; purpose?: string | undefined; allowed?: readonly string[] | undefined },
): Promise<void> {
  await em.execute(
    `update agent set provider = coalesce(?::text, provider), purpose = coalesce(?::text, purpose),
            allowed_connection_ids = case when ?::boolean then array(select jsonb_array_elements_text(?::jsonb))
                                          else allowed_connection_ids end
      where id = ?`,
    [to.provider ?? null, to.purpose ?? null, to.allowed !== undefined, JSON.stringify(to.allowed ?? []), id],
  );
}

/** A connection that ended holds no name: a living one takes its place (AGT-3). */
export async function inherit(em: Manager, id: string, connectionId: string): Promise<void> {
  await em.execute('update agent set connection_id = ? where id = ?', [connectionId, id]);
}

export async function removeAgent(em: Manager, id: string): Promise<void> {
  await em.execute('update agent set remove_time = now() where id = ?', [id]);
}

export type PurposeOutcome = { readonly stored: true } | { readonly stored: false; readonly waitSeconds: number };

/** `everySeconds` 0 is a person, who neither waits nor makes the agent wait. The same text again is no change. */
export async function storePurpose(
  em: Manager,
  id: string,
  purpose: string,
  everySeconds: number,
): Promise<PurposeOutcome> {
  const changed: unknown[] = await em.execute(
    `update agent set purpose = ?, purpose_time = case when ?::int > 0 then now() else purpose_time end
      where id = ? and (purpose = ? or ?::int = 0 or purpose_time is null
                        or purpose_time <= now() - make_interval(secs => ?::int))
      returning id`,
    [purpose, everySeconds, id, purpose, everySeconds, everySeconds],
  );
  if (changed.length > 0) return { stored: true };
  const rows: { seconds: number }[] = await em.execute(
    `select greatest(1, ceil(?::int - extract(epoch from now() - purpose_time)))::int as seconds from agent where id = ?`,
    [everySeconds, id],
  );
  return { stored: false, waitSeconds: rows[0]?.seconds ?? everySeconds };
}

/** The lease named, if it is live, the child's own, and of this agent. */
export async function holdsLease(
  em: Manager,
  lease: { attachmentId: string; agentId: string; childId: string },
): Promise<boolean> {
  const rows: unknown[] = await em.execute(
    'select 1 from attachment where id = ? and agent_id = ? and child_id = ? and end_time is null',
    [lease.attachmentId, lease.agentId, lease.childId],
  );
  return rows.length > 0;
}

/** Whether the child of attachment `a` may still act: its own connection and its login's. */
export const CHILD_ALIVE = `exists (
  select from connection c join connection p on p.id = c.parent_id
   where c.id = a.child_id and c.revoke_time is null and (c.expire_time is null or c.expire_time > now())
     and p.revoke_time is null and (p.expire_time is null or p.expire_time > now()))`;

/** What every list says of a lease: `a` is the attachment, all null where there is none. */
export const LEASE_FACTS = `
  a.id is not null as attached, coalesce(a.wakes, false) as wakes,
  coalesce(a.needs_confirmation, false) as needs_confirmation, coalesce(a.route, '') as route,
  exists (select from link l join node n on n.id = l.node_id where l.id = a.link_id and n.expire_time > now())
    and ${CHILD_ALIVE} as linked`;

/** A refusal stands while the message it was about still waits: an index holds just those. */
const SEEN = `
select g.id, g.name, g.name_key, g.provider, g.purpose, g.connection_id, g.allowed_connection_ids, g.last_seen_time,
       g.create_time, ${LEASE_FACTS}, coalesce(refused.yes, false) as wake_refused, refused.why as wake_refusal
  from agent g
  left join attachment a on a.agent_id = g.id and a.end_time is null
  left join lateral (
    select true as yes, (select e.detail from receipt_event e where e.message_id = d.message_id and e.kind = 7
                          order by e.id desc limit 1) as why
      from delivery d
     where d.mailbox_id = g.id and d.wake_refused and d.offer_time is null and d.state = 1
     order by d.mailbox_seq desc limit 1) refused on true`;

/** Of an agent `g`: one that the viewer's targets name; null is every one, given twice. */
export const WITHIN = `(?::jsonb is null or 'agent:' || g.name_key in (select jsonb_array_elements_text(?::jsonb)))`;
export const within = ({ targets }: Viewer): [string | null, string | null] => {
  const json = targets === null ? null : JSON.stringify(targets);
  return [json, json];
};

export const seenAfter = (em: Manager, viewer: Viewer, nameKey: string, size: number): Promise<SeenRow[]> =>
  em.execute(
    `${SEEN} where g.account_id = ? and g.name_key > ? and g.remove_time is null and ${WITHIN}
      order by g.name_key limit ?`,
    [viewer.accountId, nameKey, ...within(viewer), size],
  );

export async function seenNamed(em: Manager, accountId: string, nameKey: string): Promise<SeenRow | undefined> {
  const rows: SeenRow[] = await em.execute(
    `${SEEN} where g.account_id = ? and g.name_key = ? and g.remove_time is null`,
    [accountId, nameKey],
  );
  return rows[0];
}

export interface NamedRow {
  readonly id: string;
  readonly name: string;
}

export const namesOf = (em: Manager, accountId: string): Promise<NamedRow[]> =>
  em.execute('select id, name from agent where account_id = ? and remove_time is null order by name_key', [accountId]);

/** Many names at once, each with its place in the question. */
export const FIND_NAMES = new Statement<NamedRow & { account_id: string; name_key: string }>(
  'agents.find_names',
  `select g.id, g.name, g.account_id, g.name_key
     from jsonb_to_recordset($1::jsonb) as k("accountId" text, "nameKey" text)
     join agent g on g.account_id = k."accountId" and g.name_key = k."nameKey" and g.remove_time is null`,
);

export const findNames = (em: Manager, names: readonly { accountId: string; nameKey: string }[]) =>
  FIND_NAMES.run(em, [JSON.stringify(names)]);

export interface ReachRow extends LeaseFacts {
  readonly id: string;
  readonly route: string;
  readonly last_seen_time: string | null;
}

export const REACH = new Statement<ReachRow>(
  'agents.reach',
  `select g.id, g.last_seen_time, ${LEASE_FACTS}
     from jsonb_array_elements_text($1::jsonb) as k(id)
     join agent g on g.id = k.id
     left join attachment a on a.agent_id = g.id and a.end_time is null`,
);

export const reachOf = (em: Manager, agentIds: readonly string[]) => REACH.run(em, [JSON.stringify(agentIds)]);

/** In the order of their ids, so that two nodes that write the same agents never wait for each other in a circle. */
export const touch = (em: Manager, agentIds: readonly string[]): Promise<unknown> =>
  em.execute(
    `update agent set last_seen_time = now() from (
       select id from agent where id in (select jsonb_array_elements_text(?::jsonb)) order by id for no key update) seen
      where agent.id = seen.id`,
    [JSON.stringify(agentIds)],
  );

/** Wakes are counted anew from now on, and what was refused may be asked for again. Answers whose mailboxes those are. */
export async function resetWakes(em: Manager, accountId: string, agentId: string | undefined): Promise<string[]> {
  if (agentId === undefined) await em.execute('update account set wake_reset_time = now() where id = ?', [accountId]);
  else await em.execute('update agent set wake_reset_time = now() where id = ?', [agentId]);
  const rows: { mailbox_id: string }[] = await em.execute(
    `update delivery d set wake_refused = false
       from agent g
      where g.account_id = ? and (?::text is null or g.id = ?) and g.remove_time is null
        and d.mailbox_id = g.id and d.wake_refused and d.offer_time is null
      returning d.mailbox_id`,
    [accountId, agentId ?? null, agentId ?? null],
  );
  return [...new Set(rows.map((row) => row.mailbox_id))];
}
