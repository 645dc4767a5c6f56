import type { Manager } from '../../../core/database.ts';
import { CHILD_ALIVE } from '../../store.ts';

/** Who works under a lease: only its child. */
export interface Holder {
  readonly attachmentId: string;
  readonly childId: string;
}

/** A message of the lease's mailbox moves to a state, and its sender can read that it did. */
export interface Move {
  readonly messageIds: readonly string[];
  readonly state: 2 | 3 | 4;
  /** The states it may come from. */
  readonly from: readonly number[];
  /** Only what was offered under this lease: what a host shows is about nothing else. */
  readonly isOffered: boolean;
  readonly kind: number;
  readonly route: string;
  readonly source: 'agent' | 'host' | 'bridge';
  readonly detail: string;
}

/** The lease, with a shared lock: whoever ends it waits for this statement, and one that comes later finds no lease. */
const LEASE = `lease as materialized (
  select a.id, a.agent_id from attachment a
   where a.id = ? and a.child_id = ? and a.end_time is null and ${CHILD_ALIVE}
     and exists (select from agent g where g.id = a.agent_id and g.remove_time is null)
     for share of a
)`;

/** The copies asked for, locked in their order and read as they are now. */
const MINE = `mine as materialized (
  select d.mailbox_id, d.mailbox_seq, d.message_id, d.state, l.id as lease_id,
         d.offer_time is not null and d.offer_attachment_id = l.id as offered_here
    from lease l, (select distinct k.id from jsonb_array_elements_text(?::jsonb) as k(id)) k, delivery d
   where d.message_id = k.id and d.mailbox_id = l.agent_id
   order by d.mailbox_seq for update of d
)`;

/** Undefined when the lease is not live; else which of the messages are in its mailbox. */
export async function move(
  em: Manager,
  by: Holder,
  to: Move,
): Promise<{ readonly agentId: string; readonly mine: ReadonlySet<string> } | undefined> {
  const rows: { agent_id: string; message_id: string | null }[] = await em.execute(
    `with ${LEASE}, ${MINE}, moved as (
       update delivery d set state = ? from mine
        where d.mailbox_id = mine.mailbox_id and d.mailbox_seq = mine.mailbox_seq
          and mine.state in (select v::int from jsonb_array_elements_text(?::jsonb) as f(v)) and (mine.offered_here or not ?)
       returning d.message_id, mine.lease_id
     ), told as (
       insert into receipt_event (message_id, kind, route, attachment_id, source, detail)
       select message_id, ?, ?, lease_id, ?, ? from moved
     )
     select l.agent_id, mine.message_id from lease l left join mine on true`,
    [
      by.attachmentId,
      by.childId,
      JSON.stringify(to.messageIds),
      to.state,
      JSON.stringify(to.from),
      to.isOffered,
      to.kind,
      to.route,
      to.source,
      to.detail,
    ],
  );
  const [first] = rows;
  return (
    first && {
      agentId: first.agent_id,
      mine: new Set(rows.flatMap((row) => (row.message_id === null ? [] : [row.message_id]))),
    }
  );
}

/** Something about messages that moves no state. Said once a lease, route and reason, however often a bridge says it. */
export const note = (
  em: Manager,
  by: Holder,
  event: {
    messageIds: readonly string[];
    isOffered: boolean;
    kind: number;
    route: string;
    source: 'host' | 'bridge';
    detail: string;
  },
): Promise<unknown> =>
  em.execute(
    `with ${LEASE}, ${MINE}, said as (
       select ?::smallint as kind, ?::text as route, ?::text as source, ?::text as detail, ?::boolean as offered)
     insert into receipt_event (message_id, kind, route, attachment_id, source, detail)
     select mine.message_id, s.kind, s.route, mine.lease_id, s.source, s.detail from mine, said s
      where (mine.state = 1 or s.kind = 3) and (mine.offered_here or not s.offered)
        and not exists (select from receipt_event e
              where e.message_id = mine.message_id and e.kind = s.kind and e.attachment_id = mine.lease_id
                and e.route = s.route and e.detail = s.detail)`,
    [
      by.attachmentId,
      by.childId,
      JSON.stringify(event.messageIds),
      event.kind,
      event.route,
      event.source,
      event.detail,
      event.isOffered,
    ],
  );

/** Definitely not delivered: the messages wait again, and the wake they were charged is given back. */
export const takeBack = (
  em: Manager,
  by: Holder,
  offer: { messageIds: readonly string[]; kind: number; route: string; detail: string },
): Promise<unknown> =>
  em.execute(
    `with ${LEASE}, ${MINE}, back as (
       update delivery d set offer_time = null, offer_attachment_id = null, offer_woke = false from mine
        where d.mailbox_id = mine.mailbox_id and d.mailbox_seq = mine.mailbox_seq and mine.state = 1 and mine.offered_here
       returning d.message_id, mine.lease_id
     )
     insert into receipt_event (message_id, kind, route, attachment_id, source, detail)
     select message_id, ?, ?, lease_id, 'bridge', ? from back`,
    [by.attachmentId, by.childId, JSON.stringify(offer.messageIds), offer.kind, offer.route, offer.detail],
  );
