import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import type { Database, Manager } from '../core/database.ts';
import type { Ended } from '../core/endings.ts';
import type { Log } from '../core/log.ts';
import type { Notifier } from '../core/notifier.ts';
import { Problem } from '../core/problem.ts';
import type { Known } from './callers.ts';
import { revokedWith, revokeWithChildren } from './store/connections.ts';

export interface RevokeDeps {
  readonly orm: Database;
  readonly notifier: Notifier;
  readonly log: Log;
  /** Ends the leases that rest on these connections; the lower room does not know what a lease is. */
  readonly endLeasesOf: (em: Manager, connectionIds: readonly string[]) => Promise<readonly Ended[]>;
}

/**
 * Ends a connection and its children. When it answers, no node uses them any more (ACC-2). A repeat answers the same and
 * waits for the nodes again, since the first may have been cut off between the two.
 */
export async function revokeConnection(deps: RevokeDeps, caller: Known, connectionId: string): Promise<string[]> {
  const { accountId } = caller;
  const { ids, settle } = await deps.orm.em.fork().transactional(async (em) => {
    await revokeWithChildren(em, accountId, connectionId);
    const revoked = await revokedWith(em, accountId, connectionId);
    const leases = revoked.length === 0 ? [] : await deps.endLeasesOf(em, revoked);
    // The connections first: whoever works under both is told to sign in, not to attach again.
    const ends = [...revoked.map((id): Ended => ({ id, cause: 'revoked' })), ...leases];
    return { ids: revoked, settle: await deps.notifier.endIn(em, ends) };
  });
  if (ids.length === 0)
    throw new Problem(
      Reason.NOT_FOUND,
      `the account has no connection ${connectionId}; \`agentworks connections list\` shows them`,
      { subject: 'connection_id' },
    );
  await settle();
  deps.notifier.announce([`account:${accountId}`]);
  deps.log.info({ event: 'connection.revoked', connectionIds: ids, by: caller.connectionId });
  return ids;
}
