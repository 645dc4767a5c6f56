import type { Manager } from '../../core/database.ts';
import type { ReceiptEventKind, ReceiptState } from '#gen/agentworks/messages/v1/messages_pb.ts';
import { isBound, isWithin, LEASE_LIVE } from './authority.ts';

/** One copy of a message, as far as it got. */
export interface Copy {
  readonly create_time: string;
  readonly no_wake: boolean;
  readonly to_agent: string;
  readonly to_agent_id: string | null;
  readonly removed: boolean;
  readonly state: ReceiptState;
  readonly wake_refused: boolean;
  readonly offered: boolean;
}

export interface EventRow {
  readonly kind: ReceiptEventKind;
  readonly time: string;
  readonly route: string;
  readonly attachment_id: string;
  readonly source: string;
  readonly detail: string;
}

/** The copy, if the caller sent it: as the account, or as an agent it may speak as (MSG-18). */
export async function sentCopy(
  em: Manager,
  sender: { accountId: string; connectionId: string; childOf: string | null; attachmentId: string },
  messageId: string,
): Promise<Copy | undefined> {
  const rows: Copy[] = await em.execute(
    `with r as (select ?::text as account_id, ?::text as connection_id, ?::text as child_of, ?::text as attachment_id)
     select m.create_time, m.no_wake, m.to_agent, i.agent_id as to_agent_id, d.state, d.wake_refused,
            d.offer_time is not null as offered,
            coalesce((select g.remove_time is not null from agent g where g.id = i.agent_id), false) as removed
       from r join message m on m.account_id = r.account_id
       join delivery d on d.message_id = m.id
       join inbox i on i.id = d.inbox_id
      where m.id = ?
        and (not ${isBound('r.connection_id')}
             or ${isWithin('r.connection_id', 'm.agent_id')} and ${isWithin('r.connection_id', 'i.agent_id')})
        and case when m.agent_id is null then r.child_of is null
                 when r.child_of is not null then m.agent_id = r.child_of and ${LEASE_LIVE}
                 else exists (select from agent g where g.id = m.agent_id
                       and (g.connection_id = r.connection_id or r.connection_id = any (g.allowed_connection_ids))) end`,
    [sender.accountId, sender.connectionId, sender.childOf, sender.attachmentId, messageId],
  );
  return rows[0];
}

export const eventsOf = (em: Manager, messageId: string): Promise<EventRow[]> =>
  em.execute(
    'select kind, time, route, attachment_id, source, detail from receipt_event where message_id = ? order by id',
    [messageId],
  );
