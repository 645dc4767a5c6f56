import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import { audit } from '../../access/audit.ts';
import type { Known } from '../../access/callers.ts';
import type { Database } from '../../core/database.ts';
import type { Notifier } from '../../core/notifier.ts';
import { Problem } from '../../core/problem.ts';
import type { Connections } from '../connections.ts';
import { endLeases } from './end.ts';
import { leaseEnded } from './lease-ended.ts';
import { liveLease, type LeaseRow } from './store/leases.ts';
import { parted } from './written.ts';

/** Ends a lease and revokes its child. The name and its messages stay (ATT-8). */
export async function detach(
  deps: { readonly orm: Database; readonly notifier: Notifier; readonly connections: Connections },
  caller: Known,
  input: { attachmentId: string },
): Promise<void> {
  const { attachmentId } = input;
  const settle = await deps.orm.em.fork().transactional(async (em) => {
    const lease = await liveLease(em, caller.accountId, attachmentId);
    if (lease === undefined) throw leaseEnded();
    checkMayDetach(caller, lease);
    const ended = await endLeases(deps, em, { attachmentId }, 'detached');
    // Somebody else ended it between the two statements.
    if (ended.length === 0) throw leaseEnded();
    const why = caller.kind === 'person' ? 'the person asked for it' : 'its own chat asked for it';
    await audit(em, parted(caller, lease.agent_name, why));
    return deps.notifier.endIn(em, ended);
  });
  await settle();
  deps.notifier.announce([`account:${caller.accountId}`]);
}

function checkMayDetach(caller: Known, lease: LeaseRow): void {
  if (caller.kind === 'person') return;
  if (caller.kind !== 'child' || caller.connectionId !== lease.child_id) throw leaseEnded();
  // What the person attached, the person detaches (ATT-4).
  if (lease.origin !== 'own')
    throw new Problem(Reason.NOT_ALLOWED, `the person attached ${lease.agent_name} here; ask the person to detach it`, {
      subject: 'attachment_id',
    });
}
