import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import type { Database, Manager } from '../core/database.ts';
import type { Ended } from '../core/endings.ts';
import type { Log } from '../core/log.ts';
import type { Notifier } from '../core/notifier.ts';
import { Problem } from '../core/problem.ts';
import { audit, type AuditEvent } from './audit.ts';
import type { Known } from './callers.ts';
import { agentsOn, revokedWith, revokeWithChildren } from './store/connections.ts';

export interface RevokeDeps {
  readonly orm: Database;
  readonly notifier: Notifier;
  readonly log: Log;
  /** Ends the leases of an agent; this room does not know what a lease is. */
  readonly endLeases: (em: Manager, agentId: string) => Promise<readonly Ended[]>;
}

/** A person, or a client that gives back what it was given. */
type Revoker = Pick<Known, 'accountId' | 'connectionId'>;

/**
 * Ends a connection and its children. When it answers, no node uses them any more (ACC-2). A repeat answers the same and
 * waits for the nodes again, since the first may have been cut off between the two.
 */
export async function revokeConnection(deps: RevokeDeps, caller: Revoker, connectionId: string): Promise<string[]> {
  const { accountId } = caller;
  const { ids, settle } = await deps.orm.em.fork().transactional(async (em) => {
    const { revoked, leases } = await revoke(deps, em, caller, connectionId);
    // The connections first: whoever works under both is told to sign in, not to attach again.
    const ends = [...revoked.map((id): Ended => ({ id, cause: 'revoked' })), ...leases];
    return { ids: revoked, settle: await deps.notifier.endIn(em, ends) };
  });
  if (ids.length === 0) throw noConnection(connectionId);
  await settle();
  deps.notifier.announce([`account:${accountId}`]);
  deps.log.info({ event: 'connection.revoked', connectionIds: ids, by: caller.connectionId });
  return ids;
}

export const noConnection = (connectionId: string): Problem =>
  new Problem(
    Reason.NOT_FOUND,
    `the account has no connection ${connectionId}; \`agentworks connections list\` shows them`,
    { subject: 'connection_id' },
  );

async function revoke(deps: RevokeDeps, em: Manager, caller: Revoker, connectionId: string) {
  const { accountId } = caller;
  const leases: Ended[] = [];
  const done = new Set<string>();
  const endLeases = async (agentIds: readonly string[]) => {
    for (const agentId of agentIds.filter((id) => !done.has(id)).toSorted()) {
      done.add(agentId);
      leases.push(...(await deps.endLeases(em, agentId)));
    }
  };
  // Leases before connections, as attaching does, so that the two never wait for each other in a circle.
  await endLeases(await agentsOn(em, accountId, connectionId));
  const isNew = await revokeWithChildren(em, accountId, connectionId);
  const rows = await revokedWith(em, accountId, connectionId);
  await endLeases(rows.flatMap((row) => row.agent_id ?? []));
  if (isNew) await audit(em, written(caller, connectionId, rows.length - 1));
  return { revoked: rows.map((row) => row.id), leases };
}

const written = ({ accountId, connectionId }: Revoker, subject: string, children: number): AuditEvent => ({
  accountId,
  kind: 'connection.revoked',
  connectionId,
  subject,
  sentence: children === 0 ? 'revoked' : `revoked, with ${children} connections that hung on it`,
});
