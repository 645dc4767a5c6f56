import type { Manager } from '../../core/database.ts';
import { Statement } from '../../core/statement.ts';
import { type Answer, answersOf, identityOf, type Submission } from '../submission.ts';
import { connectionLive, isBound, isWithin } from './authority.ts';

/** Why the storing statement did not store a submission; `lost` means that its id was used before. */
export type Refusal = 'signed_out' | 'lease_ended' | 'no_sender' | 'not_allowed' | 'no_reply_to' | 'gone' | 'lost';

/** What became of one submission of a batch. */
export interface Verdict {
  readonly refusal: Refusal | null;
  /** Distance from the person's last turn, of its first copy. */
  readonly hop: number;
}

/**
 * Stores a whole batch in one statement, which is one transaction and one flush (MSG-1).
 *
 * In this order, which is what makes it right:
 *   judged     authority as of this snapshot: connection, lease, sender, recipients
 *   claimed    the submission ids, sorted; of two that are equal the first wins, also against other nodes (MSG-3)
 *   numbered   one counter a mailbox, locked in sorted order until commit, so that numbers become visible in their order
 *              and no reader passes one that commits later (MSG-5)
 *   stored     messages and deliveries of the winners only
 * Scalar subqueries instead of joins: each row asks its index, whatever the planner believes of the tables' size.
 */
export async function storeBatch(em: Manager, batch: readonly Submission[], hops: number): Promise<Verdict[]> {
  const said = batch.map((s, i) => ({
    i,
    account_id: s.accountId,
    connection_id: s.connectionId,
    attachment_id: s.attachmentId,
    agent_id: s.agentId,
    from_agent: s.fromAgent,
    by_name: s.byName,
    identity: identityOf(s),
    submission_id: s.submissionId,
    digest: s.digest,
    claim_id: s.claimId,
    answer: s.submissionId === null ? null : answersOf(s),
    body: s.body,
    content_type: s.contentType,
    metadata: s.metadata,
    in_reply_to: s.inReplyTo,
    no_wake: s.noWake,
  }));
  const copies = batch.flatMap((s, i) =>
    s.copies.map((copy, n) => ({
      i,
      n,
      message_id: copy.messageId,
      conversation_id: copy.conversationId,
      from_inbox_id: copy.fromInboxId,
      from_mailbox_id: copy.fromMailboxId,
      to_inbox_id: copy.toInboxId,
      to_mailbox_id: copy.toMailboxId,
      to_agent_id: copy.toAgentId,
      to_agent: copy.toAgent,
      fresh: copy.fresh,
    })),
  );
  const rows = await STORE.run(em, [JSON.stringify(said), JSON.stringify(copies), hops]);
  const verdicts: Verdict[] = [];
  for (const row of rows) verdicts[row.i] = { refusal: row.refusal, hop: row.hop ?? 0 };
  return verdicts;
}

export const STORE = new Statement<{ i: number; refusal: Refusal | null; hop: number | null }>(
  'messages.store',
  `
with said as materialized (
  select * from jsonb_to_recordset($1::jsonb) as s(
    i int, account_id text, connection_id text, attachment_id text, agent_id text, from_agent text, by_name boolean,
    identity text, submission_id text, digest text, claim_id text, answer jsonb,
    body text, content_type text, metadata jsonb, in_reply_to text, no_wake boolean)
), copies as materialized (
  select * from jsonb_to_recordset($2::jsonb) as c(
    i int, n int, message_id text, conversation_id text, from_inbox_id text, from_mailbox_id text,
    to_inbox_id text, to_mailbox_id text, to_agent_id text, to_agent text, fresh boolean)
), judged as materialized (
  select s.i, case
    when not ${connectionLive('s.connection_id')} then 'signed_out'
    when s.attachment_id is not null and not exists (
      select from attachment a where a.id = s.attachment_id and a.agent_id = s.agent_id and a.end_time is null
         and (a.child_id = s.connection_id or a.connection_id = s.connection_id)) then 'lease_ended'
    when s.agent_id is not null and not exists (
      select from agent a where a.id = s.agent_id and a.remove_time is null) then 'no_sender'
    when s.by_name and not exists (
      select from agent a where a.id = s.agent_id
         and (a.connection_id = s.connection_id or s.connection_id = any (a.allowed_connection_ids))) then 'not_allowed'
    when s.in_reply_to is not null and not exists (
      select from message m where m.id = s.in_reply_to and m.account_id = s.account_id
         and (s.agent_id is null or m.agent_id = s.agent_id or exists (
               select from delivery d where d.message_id = m.id and d.mailbox_id = s.agent_id))
         and (not ${isBound('s.connection_id')} or ${isWithin('s.connection_id', 'm.agent_id')} and not exists (
               select from delivery d join inbox i on i.id = d.inbox_id
                where d.message_id = m.id and not ${isWithin('s.connection_id', 'i.agent_id')}))) then 'no_reply_to'
    when exists (
      select from copies c where c.i = s.i and c.to_agent_id is not null and not exists (
        select from agent a where a.id = c.to_agent_id and a.remove_time is null)) then 'gone'
    when ${isBound('s.connection_id')} then case
      when not ${isWithin('s.connection_id', 's.agent_id')} then 'no_sender'
      when exists (select from copies c where c.i = s.i and not ${isWithin('s.connection_id', 'c.to_agent_id')}) then 'gone'
    end
  end as refusal
  from said s
), claimed as (
  insert into submission (identity, submission_id, account_id, claim_id, digest, answer)
  select s.identity, s.submission_id, s.account_id, s.claim_id, s.digest, s.answer
    from said s join judged j on j.i = s.i
   where j.refusal is null and s.submission_id is not null
   order by s.identity, s.submission_id, s.i
  on conflict do nothing
  returning claim_id
), won as materialized (
  -- When a person last stood between this sender and what it was offered: by a turn, or by letting wakes begin anew.
  select s.*, greatest(
      (select a.person_turn_time from attachment a where a.agent_id = s.agent_id and a.end_time is null),
      (select a.wake_reset_time from agent a where a.id = s.agent_id),
      (select a.wake_reset_time from account a where a.id = s.account_id)) as turn
    from said s join judged j on j.i = s.i
   where j.refusal is null and (s.submission_id is null or s.claim_id in (select claim_id from claimed))
), copy as materialized (
  select c.*, w.account_id, w.agent_id, w.from_agent, w.body, w.content_type, w.metadata, w.in_reply_to, w.no_wake,
    1 + greatest(
      case when c.fresh then 0 else coalesce((
        select m.hop from delivery d join message m on m.id = d.message_id
         where d.inbox_id = c.from_inbox_id and d.offer_time is not null
           and d.offer_time > coalesce(w.turn, '-infinity'::timestamptz)
         order by d.mailbox_seq desc limit 1), 0) end,
      case when w.in_reply_to is null then 0 else coalesce((
        select m.hop from message m
         where m.id = w.in_reply_to and m.create_time > coalesce(w.turn, '-infinity'::timestamptz)), 0) end) as hop
    from copies c join won w on w.i = c.i
), opened as (
  insert into inbox (id, account_id, conversation_id, mailbox_id, agent_id, peer_id)
  select from_inbox_id, account_id, conversation_id, from_mailbox_id, agent_id, to_inbox_id from copy where fresh
  union all
  select to_inbox_id, account_id, conversation_id, to_mailbox_id, to_agent_id, from_inbox_id from copy where fresh
), counted as (
  insert into mailbox as m (id, account_id, last_seq)
  select to_mailbox_id, min(account_id), count(*) from copy group by to_mailbox_id order by to_mailbox_id
  on conflict (id) do update set last_seq = m.last_seq + excluded.last_seq
  returning m.id, m.last_seq
), numbered as (
  select copy.*,
    counted.last_seq + 1 - row_number() over (partition by copy.to_mailbox_id order by copy.i desc, copy.n desc) as seq
    from copy join counted on counted.id = copy.to_mailbox_id
), stored as (
  insert into message (id, account_id, conversation_id, inbox_id, agent_id, from_agent, to_agent, body, content_type,
                       metadata, in_reply_to, hop, no_wake)
  select message_id, account_id, conversation_id, from_inbox_id, agent_id, from_agent, to_agent, body, content_type,
         metadata, in_reply_to, hop, no_wake from copy
), delivered as (
  insert into delivery (mailbox_id, mailbox_seq, account_id, inbox_id, message_id, wake_refused)
  select to_mailbox_id, seq, account_id, to_inbox_id, message_id, hop > $3::int from numbered
)
select j.i, coalesce(j.refusal, case when c.i is null then 'lost' end) as refusal, c.hop
  from judged j left join copy c on c.i = j.i and c.n = 0`,
);

/** What an earlier use of a submission id stored. */
export interface Earlier {
  readonly identity: string;
  readonly submissionId: string;
  readonly digest: string;
  readonly answers: readonly Answer[];
}

export async function earlier(
  em: Manager,
  keys: readonly { readonly identity: string; readonly submissionId: string }[],
): Promise<Earlier[]> {
  const rows: { identity: string; submission_id: string; digest: string; answer: Answer[] }[] = await em.execute(
    `select s.identity, s.submission_id, s.digest, s.answer
       from jsonb_to_recordset(?::jsonb) as k("identity" text, "submissionId" text)
       join submission s on s.identity = k."identity" and s.submission_id = k."submissionId"`,
    [JSON.stringify(keys.map(({ identity, submissionId }) => ({ identity, submissionId })))],
  );
  return rows.map((row) => ({
    identity: row.identity,
    submissionId: row.submission_id,
    digest: row.digest,
    answers: row.answer,
  }));
}

/** Whether the connection may speak as the agent by its name, as of now (AGT-3). */
export async function maySpeakAs(em: Manager, connectionId: string, agentId: string): Promise<boolean> {
  const rows: unknown[] = await em.execute(
    `select from agent a where a.id = ? and a.remove_time is null
        and (a.connection_id = ? or ? = any (a.allowed_connection_ids))`,
    [agentId, connectionId, connectionId],
  );
  return rows.length > 0;
}
