import type { Viewer } from '../../../access/bounds.ts';
import type { Manager } from '../../../core/database.ts';
import type { LeaseFacts } from '../../reach.ts';
import { CHILD_ALIVE, LEASE_FACTS, WITHIN, within } from '../../store.ts';

/** Who asked for a lease, as it is stored. */
export type Origin = 'chat' | 'terminal' | 'own';

/** The session of a host program that a name is bound to. */
export interface Session {
  readonly provider: string;
  readonly sessionId: string;
  readonly pid: bigint;
  readonly processStart: string;
  readonly bootId: string;
  readonly folder: string;
  readonly computer: string;
}

/** A live lease as it is shown. */
export interface LeaseRow extends LeaseFacts {
  readonly id: string;
  readonly agent_id: string;
  readonly agent_name: string;
  readonly child_id: string;
  readonly connection_id: string;
  readonly provider: string;
  readonly session_id: string;
  readonly pid: string;
  readonly process_start: string;
  readonly boot_id: string;
  readonly origin: Origin;
  readonly folder: string;
  readonly computer: string;
  readonly route: string;
  readonly route_detail: string;
  readonly start_seq: string;
  readonly create_time: string;
  readonly person_turn_time: string | null;
}

const LEASE = `
select a.id, a.agent_id, g.name as agent_name, a.child_id, a.connection_id, a.provider, a.session_id, a.pid::text as pid,
       a.process_start, a.boot_id, a.origin, a.folder, a.computer, a.route_detail, a.start_seq::text as start_seq,
       a.create_time, a.person_turn_time, ${LEASE_FACTS}
  from attachment a join agent g on g.id = a.agent_id`;

export async function liveLease(em: Manager, accountId: string, id: string): Promise<LeaseRow | undefined> {
  const rows: LeaseRow[] = await em.execute(`${LEASE} where a.id = ? and a.account_id = ? and a.end_time is null`, [
    id,
    accountId,
  ]);
  return rows[0];
}

/** Newest first; `before` is the id of the last lease of the page before, empty for the first page. */
export const leasesBefore = (em: Manager, viewer: Viewer, before: string, size: number): Promise<LeaseRow[]> =>
  em.execute(
    `${LEASE} where a.account_id = ? and a.end_time is null and ${WITHIN}
        and (? = '' or (a.create_time, a.id) < (select b.create_time, b.id from attachment b where b.id = ? and b.account_id = ?))
      order by a.create_time desc, a.id desc limit ?`,
    [viewer.accountId, ...within(viewer), before, before, viewer.accountId, size],
  );

const ATTACH_LOCK = 7719;

/** One attach of an account at a time: of two that want one name, or one session, the later sees what the first did. */
export async function lockAttaching(em: Manager, accountId: string): Promise<void> {
  await em.execute('select pg_advisory_xact_lock(?, hashtext(?))', [ATTACH_LOCK, accountId]);
}

/** A live lease as an attach judges it. */
export interface HeldRow {
  readonly id: string;
  readonly agent_id: string;
  readonly agent_name: string;
  readonly child_id: string;
  readonly connection_id: string;
  readonly provider: string;
  readonly session_id: string;
  readonly origin: Origin;
  readonly child_alive: boolean;
}

/** The live leases of a name or of a session, of which there is at most one each. Locked. */
export const heldBy = (
  em: Manager,
  by: { accountId: string; agentId: string; provider: string; sessionId: string },
): Promise<HeldRow[]> =>
  em.execute(
    `select a.id, a.agent_id, g.name as agent_name, a.child_id, a.connection_id, a.provider, a.session_id, a.origin,
            ${CHILD_ALIVE} as child_alive
       from attachment a join agent g on g.id = a.agent_id
      where a.account_id = ? and a.end_time is null and (a.agent_id = ? or (a.provider = ? and a.session_id = ?))
      order by a.id for no key update of a`,
    [by.accountId, by.agentId, by.provider, by.sessionId],
  );

/**
 * A new lease of a name. Its reader starts after the largest beginning of the mailbox of which nothing waits any more:
 * what waits arrives oldest first, and what was offered once is not offered again. No lease starts before the one it
 * follows, so the search begins there and not at the first message ever.
 */
export async function addLease(
  em: Manager,
  lease: Session & {
    id: string;
    accountId: string;
    agentId: string;
    childId: string;
    connectionId: string;
    origin: Origin;
  },
): Promise<void> {
  await em.execute(
    `with before as (
       select coalesce(max(start_seq), 0) as seq from attachment where account_id = ? and agent_id = ?)
     insert into attachment (id, account_id, agent_id, child_id, connection_id, provider, session_id, pid, process_start,
                             boot_id, origin, folder, computer, start_seq)
     select ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, coalesce(
       (select d.mailbox_seq - 1 from delivery d
         where d.mailbox_id = ? and d.mailbox_seq > before.seq and d.state = 1 and d.offer_time is null
         order by d.mailbox_seq limit 1),
       (select m.last_seq from mailbox m where m.id = ?), 0)
       from before`,
    [
      lease.accountId,
      lease.agentId,
      lease.id,
      lease.accountId,
      lease.agentId,
      lease.childId,
      lease.connectionId,
      lease.provider,
      lease.sessionId,
      lease.pid.toString(),
      lease.processStart,
      lease.bootId,
      lease.origin,
      lease.folder,
      lease.computer,
      lease.agentId,
      lease.agentId,
    ],
  );
}

/** The same session under a process that may be another one now. What a person asked for stays a person's. */
export async function refreshLease(
  em: Manager,
  id: string,
  session: Session & { readonly origin: Origin },
): Promise<void> {
  await em.execute(
    `update attachment set pid = ?, process_start = ?, boot_id = ?, folder = ?, computer = ?,
            origin = case when ? = 'own' then origin else ? end
      where id = ?`,
    [
      session.pid.toString(),
      session.processStart,
      session.bootId,
      session.folder,
      session.computer,
      session.origin,
      session.origin,
      id,
    ],
  );
}

export type WhichLeases = { readonly attachmentId: string } | { readonly agentId: string };

/** Waits for whoever works under one of the leases right now, and ends them for everyone after. */
export const endLive = (
  em: Manager,
  which: WhichLeases,
  reason: string,
): Promise<{ readonly id: string; readonly agent_id: string }[]> =>
  em.execute(
    `update attachment set end_time = now(), end_reason = ?, link_id = null
      where ${'agentId' in which ? 'agent_id' : 'id'} = ? and end_time is null returning id, agent_id`,
    [reason, 'agentId' in which ? which.agentId : which.attachmentId],
  );

/** Why the newest lease of a name ended; undefined when it never had one. */
export async function lastEnd(em: Manager, accountId: string, agentId: string): Promise<string | undefined> {
  const rows: { end_reason: string }[] = await em.execute(
    `select end_reason from attachment where account_id = ? and agent_id = ? and end_time is not null
      order by end_time desc, id desc limit 1`,
    [accountId, agentId],
  );
  return rows[0]?.end_reason;
}

export async function confirmLease(em: Manager, accountId: string, id: string): Promise<boolean> {
  const rows: unknown[] = await em.execute(
    `update attachment set needs_confirmation = false
      where id = ? and account_id = ? and end_time is null returning id`,
    [id, accountId],
  );
  return rows.length > 0;
}

/** The person took a turn of their own: lineage begins anew (MSG-17). */
export async function markPersonTurn(em: Manager, by: { attachmentId: string; childId: string }): Promise<void> {
  await em.execute(
    'update attachment set person_turn_time = now() where id = ? and child_id = ? and end_time is null',
    [by.attachmentId, by.childId],
  );
}

export async function changeRoute(
  em: Manager,
  by: { attachmentId: string; childId: string },
  to: { route: string; detail: string; wakes: boolean },
): Promise<boolean> {
  const rows: unknown[] = await em.execute(
    `update attachment set route = ?, route_detail = ?, wakes = ?
      where id = ? and child_id = ? and end_time is null returning id`,
    [to.route, to.detail, to.wakes, by.attachmentId, by.childId],
  );
  return rows.length > 0;
}
