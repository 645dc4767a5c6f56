/** The connection of this id, and the one it hangs on: neither revoked nor expired, as of the statement that asks (ACC-2). */
export const connectionLive = (id: string): string => `coalesce((
  select c.revoke_time is null and (c.expire_time is null or c.expire_time > now())
     and (c.parent_id is null or (select p.revoke_time is null and (p.expire_time is null or p.expire_time > now())
                                    from connection p where p.id = c.parent_id))
    from connection c where c.id = ${id}), false)`;

/** Of a row `r` with child_of, connection_id and attachment_id: the lease through which a child reads. */
export const LEASE_LIVE = `exists (
  select from attachment a where a.id = r.attachment_id and a.agent_id = r.child_of and a.child_id = r.connection_id
     and a.end_time is null)`;
