import type { Manager } from '../../core/database.ts';
import { limits } from '../../core/limits.ts';
import { Statement } from '../../core/statement.ts';
import type { Received } from '../page.ts';
import { connectionLive, isBound, isWithin, LEASE_LIVE } from './authority.ts';

/** Why a reader may not read. */
export type ReadRefusal = 'signed_out' | 'lease_ended' | 'unconfirmed' | 'not_found' | 'not_allowed' | 'ahead';

/** Who reads what: authority is judged in the very statement that reads (RCP-5). */
export interface Reader {
  readonly connectionId: string;
  readonly accountId: string;
  /** The agent a child is bound to; null for everyone else. */
  readonly childOf: string | null;
  readonly attachmentId: string | null;
  /** The mailbox of a named agent, or one side of a conversation. */
  readonly mailbox: { readonly agentId: string } | { readonly inboxId: string };
}

const SHAPE = `d.mailbox_seq::text as seq, m.id as message_id, m.conversation_id, d.inbox_id, m.from_agent, m.to_agent,
  m.body, m.content_type, m.metadata, m.in_reply_to, m.hop, m.create_time,
  d.offer_time is not null or d.state > 1 as offered, not (m.no_wake or d.wake_refused) as may_wake`;

const UNCONFIRMED = `exists (select from attachment a where a.id = r.attachment_id and a.needs_confirmation)`;

const BOUND = isBound('r.connection_id');

const JUDGED_MAILBOX = `select case
    when not ${connectionLive('r.connection_id')} then 'signed_out'
    when r.child_of is not null and not ${LEASE_LIVE} then 'lease_ended'
    when r.child_of is not null and ${UNCONFIRMED} then 'unconfirmed'
    when not exists (select from agent g where g.id = r.place and g.account_id = r.account_id and g.remove_time is null)
      then 'not_found'
    when ${BOUND} and not ${isWithin('r.connection_id', 'r.place')} then 'not_found'
    when r.child_of is not null and r.child_of <> r.place then 'not_allowed'
    when r.child_of is null and not exists (
      select from agent g where g.id = r.place
         and (g.connection_id = r.connection_id or r.connection_id = any (g.allowed_connection_ids))) then 'not_allowed'
    when r.after > coalesce((select last_seq from mailbox where id = r.place), 0) then 'ahead'
  end as refusal, ${BOUND} as bound`;

const JUDGED_INBOX = `select case
    when not ${connectionLive('r.connection_id')} then 'signed_out'
    when r.child_of is not null and not ${LEASE_LIVE} then 'lease_ended'
    when r.child_of is not null and ${UNCONFIRMED} then 'unconfirmed'
    when not exists (
      select from inbox i where i.id = r.place and i.account_id = r.account_id
         and (r.child_of is null or i.agent_id = r.child_of)) then 'not_found'
    when ${BOUND} and not exists (
      select from inbox i join inbox peer on peer.id = i.peer_id
       where i.id = r.place and ${isWithin('r.connection_id', 'i.agent_id')} and ${isWithin('r.connection_id', 'peer.agent_id')})
      then 'not_found'
    when r.after > coalesce((select m.last_seq from inbox i join mailbox m on m.id = i.mailbox_id where i.id = r.place), 0)
      then 'ahead'
  end as refusal, ${BOUND} as bound`;

/**
 * One page after a number, oldest first. Numbers of a mailbox follow commit order, so what lies behind the cursor is
 * complete for ever (MSG-5). The page ends where its bodies would pass the bound, but holds one message at least.
 */
const page = (name: string, judged: string, column: string) =>
  new Statement<Received & { refusal: ReadRefusal | null }>(
    name,
    `
with r as (
  select $1::text as connection_id, $2::text as account_id, $3::text as child_of, $4::text as attachment_id,
         $5::text as place, $6::bigint as after
), judged as materialized (${judged} from r)
select judged.refusal, page.* from r, judged left join lateral (
  select * from (
    select *, sum(octet_length(body)) over (order by number) - octet_length(body) as bytes_before
      from (select d.mailbox_seq as number, ${SHAPE}
              from delivery d join message m on m.id = d.message_id
             where d.${column} = $5 and d.mailbox_seq > r.after and ($7::text is null or lower(m.from_agent) = $7)
               and judged.refusal is null and (not judged.bound or ${isWithin('r.connection_id', 'm.agent_id')})
             order by d.mailbox_seq limit $8) next) counted
   where bytes_before < $9
   order by number) page on true`,
  );

export const MAILBOX_PAGE = page('messages.mailbox_page', JUDGED_MAILBOX, 'mailbox_id');
export const INBOX_PAGE = page('messages.inbox_page', JUDGED_INBOX, 'inbox_id');

export async function readPage(
  em: Manager,
  reader: Reader,
  after: string,
  size: number,
  fromAgent: string,
): Promise<{ refusal: ReadRefusal | undefined; messages: Received[] }> {
  const byAgent = 'agentId' in reader.mailbox;
  const place = 'agentId' in reader.mailbox ? reader.mailbox.agentId : reader.mailbox.inboxId;
  const from = fromAgent === '' ? null : fromAgent.toLowerCase();
  const rows = await (byAgent ? MAILBOX_PAGE : INBOX_PAGE).run(em, [
    reader.connectionId,
    reader.accountId,
    reader.childOf,
    reader.attachmentId,
    place,
    after,
    from,
    size,
    limits.pageBytes.max,
  ]);
  return { refusal: rows[0]?.refusal ?? undefined, messages: rows.filter((row) => row.message_id !== null) };
}

/** Which of these mailboxes have moved: for the repair of wakes that were lost. */
export async function lastSeqs(em: Manager, mailboxIds: readonly string[]): Promise<Map<string, string>> {
  const rows: { id: string; last_seq: string }[] = await em.execute(
    `select m.id, m.last_seq::text as last_seq from jsonb_array_elements_text(?::jsonb) as k(id) join mailbox m on m.id = k.id`,
    [JSON.stringify(mailboxIds)],
  );
  return new Map(rows.map((row) => [row.id, row.last_seq]));
}

export async function leaseIsLive(
  em: Manager,
  child: { childOf: string; connectionId: string; attachmentId: string },
): Promise<boolean> {
  const rows: { live: boolean }[] = await em.execute(
    `with r as (select ?::text as child_of, ?::text as connection_id, ?::text as attachment_id)
     select ${LEASE_LIVE} as live from r`,
    [child.childOf, child.connectionId, child.attachmentId],
  );
  return rows[0]!.live;
}
