/** The connection of this id, and the one it hangs on: neither revoked nor expired, as of the statement that asks (ACC-2). */
export const connectionLive = (id: string): string => `coalesce((
  select c.revoke_time is null and (c.expire_time is null or c.expire_time > now())
     and (c.parent_id is null or (select p.revoke_time is null and (p.expire_time is null or p.expire_time > now())
                                    from connection p where p.id = c.parent_id))
    from connection c where c.id = ${id}), false)`;

/** Whether the connection of this id, or the one it hangs on, reaches only those that its targets name. */
export const isBound = (id: string): string => `coalesce((
  select own.targets is not null or (select up.targets from connection up where up.id = own.parent_id) is not null
    from connection own where own.id = ${id}), false)`;

/** Whether what such a connection reaches includes the agent of this id. The account itself, null, is kept from nobody. */
export const isWithin = (id: string, agentId: string): string => `(${agentId} is null or coalesce((
  select (own.targets is null or 'agent:' || named.name_key = any (own.targets))
     and coalesce((select up.targets is null or 'agent:' || named.name_key = any (up.targets)
                     from connection up where up.id = own.parent_id), true)
    from connection own, agent named where own.id = ${id} and named.id = ${agentId}), false))`;

/** Of a row `r` with child_of, connection_id and attachment_id: the lease through which a child reads. */
export const LEASE_LIVE = `exists (
  select from attachment a where a.id = r.attachment_id and a.agent_id = r.child_of and a.child_id = r.connection_id
     and a.end_time is null)`;
