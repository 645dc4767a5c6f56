import type { Manager } from '../../core/database.ts';
import type { Received } from '../page.ts';
import { isBound, isWithin, LEASE_LIVE } from './authority.ts';

/** Who searches: what its connection may read by name, or what the one agent of a child sent and received. */
export interface Searcher {
  readonly accountId: string;
  readonly connectionId: string;
  readonly childOf: string | null;
  readonly attachmentId: string;
  /** Only messages of this agent; null for all the searcher may read. */
  readonly agentId: string | null;
}

/**
 * Newest first. The words come from the index; who may see a row is judged row by row, by the same rule as a read: as an
 * agent the connection may speak as, or as the account itself (MSG-15).
 */
const SEARCH = `
with r as (
  select ?::text as account_id, ?::text as connection_id, ?::text as child_of, ?::text as attachment_id, ?::text as agent_id
), bounds as materialized (
  select ${isBound('r.connection_id')} as bound from r
), mine as materialized (
  select g.id from agent g, r where g.account_id = r.account_id and g.remove_time is null
     and (r.agent_id is null or g.id = r.agent_id)
     and (g.id = r.child_of or (r.child_of is null
          and (g.connection_id = r.connection_id or r.connection_id = any (g.allowed_connection_ids))))
)
select (extract(epoch from m.create_time) * 1000000)::bigint::text as seq, m.id as message_id, m.conversation_id,
       case when received.yes then d.inbox_id else m.inbox_id end as inbox_id,
       m.from_agent, m.to_agent, m.body, m.content_type, m.metadata, m.in_reply_to, m.hop, m.create_time,
       true as offered, false as may_wake
  from r
  join message m on m.account_id = r.account_id
  join delivery d on d.message_id = m.id
  join inbox i on i.id = d.inbox_id
  cross join lateral (select case when i.agent_id is null then r.child_of is null and r.agent_id is null
                                  else i.agent_id in (select id from mine) end as yes) received
  cross join lateral (select case when m.agent_id is null then r.child_of is null and r.agent_id is null
                                  else m.agent_id in (select id from mine) end as yes) sent
 where to_tsvector('simple', left(m.body, 65536)) @@ websearch_to_tsquery('simple', ?)
   and (received.yes or sent.yes)
   and (r.child_of is null or ${LEASE_LIVE})
   and (not (select bound from bounds)
        or ${isWithin('r.connection_id', 'm.agent_id')} and ${isWithin('r.connection_id', 'i.agent_id')})
   and (m.create_time, m.id) < ('epoch'::timestamptz + ?::bigint * interval '1 microsecond', ?::text)
 order by m.create_time desc, m.id desc
 limit ?`;

export const search = (
  em: Manager,
  searcher: Searcher,
  query: string,
  before: { readonly micros: string; readonly id: string },
  size: number,
): Promise<Received[]> =>
  em.transactional(async (own) => {
    // The words' index can only be read as a bitmap, which this pool otherwise avoids.
    await own.execute('set local enable_bitmapscan = on');
    return own.execute(SEARCH, [
      searcher.accountId,
      searcher.connectionId,
      searcher.childOf,
      searcher.attachmentId,
      searcher.agentId,
      query,
      before.micros,
      before.id,
      size,
    ]);
  });
