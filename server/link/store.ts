import type { Manager } from '../core/database.ts';

export const addLink = (
  em: Manager,
  link: { id: string; nodeId: string; accountId: string; connectionId: string; computer: string },
): Promise<unknown> =>
  em.execute('insert into link (id, node_id, account_id, connection_id, computer) values (?, ?, ?, ?, ?)', [
    link.id,
    link.nodeId,
    link.accountId,
    link.connectionId,
    link.computer,
  ]);

/** Its leases show offline from now on. */
export async function removeLink(em: Manager, linkId: string): Promise<void> {
  await em.execute('update attachment set link_id = null where link_id = ?', [linkId]);
  await em.execute('delete from link where id = ?', [linkId]);
}

export interface Lease {
  readonly id: string;
  readonly agent_id: string;
  readonly agent_name: string;
  readonly start_seq: string;
  /** The link that carried it until now. */
  readonly previous_link_id: string | null;
}

/** Takes a live lease up on this link, for the child that is bound to it; undefined when it ended. */
export async function takeUp(
  em: Manager,
  lease: { id: string; childId: string; linkId: string; route: string; routeDetail: string; wakes: boolean },
): Promise<Lease | undefined> {
  const rows: Lease[] = await em.execute(
    `update attachment a set link_id = ?, route = ?, route_detail = ?, wakes = ?
      from agent g, (select id, link_id from attachment where id = ? for update) before
     where a.id = before.id and a.child_id = ? and a.end_time is null and g.id = a.agent_id and g.remove_time is null
     returning a.id, a.agent_id, g.name as agent_name, a.start_seq::text as start_seq,
               before.link_id as previous_link_id`,
    [lease.linkId, lease.route, lease.routeDetail, lease.wakes, lease.id, lease.childId],
  );
  return rows[0];
}

/** Lets a lease go that is still on this link: it shows offline. */
export const letGo = (em: Manager, attachmentId: string, linkId: string): Promise<unknown> =>
  em.execute('update attachment set link_id = null where id = ? and link_id = ?', [attachmentId, linkId]);
