import type { Manager } from '../../../core/database.ts';
import { CHILD_ALIVE } from '../../store.ts';

const WAKE_LOCK = 7720;

/** One waking claim of an account at a time, so that budgets are exact. There are at most some hundreds an hour. */
export async function lockWaking(em: Manager, accountId: string): Promise<void> {
  await em.execute('select pg_advisory_xact_lock(?, hashtext(?))', [WAKE_LOCK, accountId]);
}

export interface Claim {
  readonly accountId: string;
  /** The child of the lease, or the login that attached it. */
  readonly connectionId: string;
  readonly attachmentId: string;
  readonly messageIds: readonly string[];
  readonly route: string;
  readonly wakes: boolean;
  readonly hops: number;
  readonly wakesPerPair: number;
  readonly wakesPerAccount: number;
}

export type Outcome = 'granted' | 'already_offered' | 'acknowledged' | 'not_found' | 'no_wake';

export interface Claimed {
  /** Undefined when the lease is not live, or not this caller's. */
  readonly lease: { readonly agentId: string; readonly needsConfirmation: boolean } | undefined;
  readonly outcomes: ReadonlyMap<string, Outcome>;
}

/**
 * Marks messages as offered, once for ever, in one statement: the compare and the set cannot come apart (RCP-5).
 *
 *   lease      shared lock: whoever ends the lease waits for this claim, and a claim that comes later finds no lease
 *   copies     locked in their order and read as they are now, so that of two claims one is granted
 *   judged     the wake guard, where a turn would be started. A wake is one claim for one mailbox, however many messages
 *              it carries: that is the turn which costs. Thirty messages that waited are two wakes, and not thirty
 *   limits     and the time of this claim: not that of its transaction, which others that wait for the lock may share, since
 *              a wake is counted by its time
 *   offered, refused, told    what is marked, and what the sender can read of it
 */
const CLAIM = `
with lease as materialized (
  select a.id, a.agent_id, a.account_id, a.needs_confirmation,
         greatest(g.wake_reset_time, acc.wake_reset_time, '-infinity') as reset,
         coalesce(acc.wake_reset_time, '-infinity') as account_reset
    from attachment a
    join agent g on g.id = a.agent_id and g.remove_time is null
    join account acc on acc.id = a.account_id
   where a.id = ? and a.account_id = ? and a.end_time is null and ? in (a.child_id, a.connection_id) and ${CHILD_ALIVE}
     for share of a
), limits as materialized (
  select ?::text as route, ?::boolean as wakes, ?::int as hops, ?::int as pair, ?::int as account,
         clock_timestamp() as at
), asked as materialized (
  select distinct k.id from jsonb_array_elements_text(?::jsonb) as k(id)
), copies as materialized (
  select d.mailbox_id, d.mailbox_seq, d.message_id, d.state, d.offer_time,
         m.no_wake, m.hop, m.agent_id as sender, m.create_time, l.id as lease_id, l.account_id, l.reset, l.account_reset
    from lease l, asked k, delivery d, message m
   where not l.needs_confirmation and d.message_id = k.id and d.mailbox_id = l.agent_id
     and m.id = d.message_id and m.account_id = l.account_id
   order by d.mailbox_seq for update of d
), waiting as materialized (
  select * from copies where state = 1 and offer_time is null
), pairs as materialized (
  select s.sender, count(distinct d.offer_time) as wakes
    from (select distinct sender, mailbox_id, account_id, reset from waiting where (select wakes from limits)) s
    join delivery d on d.account_id = s.account_id and d.offer_woke and d.mailbox_id = s.mailbox_id
     and d.offer_time > greatest(now() - interval '10 minutes', s.reset)
    join message m on m.id = d.message_id and m.agent_id is not distinct from s.sender
   group by s.sender
), hour as materialized (
  select count(distinct (d.mailbox_id, d.offer_time)) as wakes
    from (select account_id, account_reset from waiting where (select wakes from limits) limit 1) s
    join delivery d on d.account_id = s.account_id and d.offer_woke
     and d.offer_time > greatest(now() - interval '1 hour', s.account_reset)
), judged as materialized (
  select w.*, case
      when not x.wakes then null
      when w.hop > x.hops and w.create_time > w.reset
        then w.hop || ' hops from a turn of the person; the limit is ' || x.hops
      when (select p.wakes from pairs p where p.sender is not distinct from w.sender) >= x.pair
        then 'this sender woke this agent ' || x.pair || ' times in 10 minutes, which is the limit'
      when (select h.wakes from hour h) >= x.account
        then 'agents of the account were woken ' || x.account || ' times in an hour, which is the limit'
    end as refusal, x.wakes and w.no_wake as must_not_wake
    from waiting w, limits x
), offered as (
  update delivery d set offer_time = x.at, offer_attachment_id = j.lease_id, offer_woke = x.wakes
    from judged j, limits x
   where d.mailbox_id = j.mailbox_id and d.mailbox_seq = j.mailbox_seq and j.refusal is null and not j.must_not_wake
  returning d.message_id, j.lease_id
), refused as (
  update delivery d set wake_refused = true
    from judged j
   where d.mailbox_id = j.mailbox_id and d.mailbox_seq = j.mailbox_seq and j.refusal is not null and not j.must_not_wake
  returning d.message_id, j.lease_id, j.refusal, j.reset
), told as (
  insert into receipt_event (message_id, kind, route, attachment_id, source, detail)
  select o.message_id, 2, x.route, o.lease_id, 'server', '' from offered o, limits x
  union all
  select r.message_id, 7, x.route, r.lease_id, 'server', r.refusal from refused r, limits x
   where not exists (select from receipt_event e where e.message_id = r.message_id and e.kind = 7 and e.time > r.reset)
)
select l.agent_id, l.needs_confirmation, c.message_id,
       case when c.state in (2, 3) then 'acknowledged'
            when c.state <> 1 or c.offer_time is not null then 'already_offered'
            when o.message_id is not null then 'granted'
            else 'no_wake' end as outcome
  from lease l left join copies c on true left join offered o on o.message_id = c.message_id`;

export async function claim(em: Manager, by: Claim): Promise<Claimed> {
  const rows: { agent_id: string; needs_confirmation: boolean; message_id: string | null; outcome: Outcome }[] =
    await em.execute(CLAIM, [
      by.attachmentId,
      by.accountId,
      by.connectionId,
      by.route,
      by.wakes,
      by.hops,
      by.wakesPerPair,
      by.wakesPerAccount,
      JSON.stringify(by.messageIds),
    ]);
  const [first] = rows;
  return {
    lease: first && { agentId: first.agent_id, needsConfirmation: first.needs_confirmation },
    outcomes: new Map(rows.flatMap((row) => (row.message_id === null ? [] : [[row.message_id, row.outcome]]))),
  };
}

/** How often one agent was woken by one sender, and the account's agents by anyone, since a person last looked. */
export async function wakesSoFar(
  em: Manager,
  of: { accountId: string; fromAgentId: string | null; toAgentId: string },
): Promise<{ readonly pair: number; readonly account: number }> {
  const rows: { pair: number; account: number }[] = await em.execute(
    `with since as (
       select g.id as agent_id, acc.id as account_id,
              greatest(now() - interval '10 minutes', g.wake_reset_time, acc.wake_reset_time) as pair,
              greatest(now() - interval '1 hour', acc.wake_reset_time) as account
         from agent g join account acc on acc.id = g.account_id
        where g.id = ? and g.account_id = ?)
     select (select count(distinct d.offer_time)::int
               from delivery d join message m on m.id = d.message_id and m.agent_id is not distinct from ?::text
              where d.account_id = s.account_id and d.offer_woke and d.mailbox_id = s.agent_id and d.offer_time > s.pair) as pair,
            (select count(distinct (d.mailbox_id, d.offer_time))::int
               from delivery d
              where d.account_id = s.account_id and d.offer_woke and d.offer_time > s.account) as account
       from since s`,
    [of.toAgentId, of.accountId, of.fromAgentId],
  );
  return rows[0] ?? { pair: 0, account: 0 };
}
