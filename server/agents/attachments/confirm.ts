import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import type { Known } from '../../access/callers.ts';
import type { Database } from '../../core/database.ts';
import type { Notifier } from '../../core/notifier.ts';
import { Problem } from '../../core/problem.ts';
import { leaseEnded } from './lease-ended.ts';
import { confirmLease, type LeaseRow, liveLease } from './store/leases.ts';

/** The person agrees to a wider policy than the one the lease was approved under; what waited is delivered (ATT-9). */
export async function confirm(
  deps: { readonly orm: Database; readonly notifier: Notifier },
  caller: Known,
  input: { attachmentId: string },
): Promise<LeaseRow> {
  if (caller.kind !== 'person')
    throw new Problem(Reason.NOT_ALLOWED, 'only a person confirms an attachment; ask yours to', {
      subject: 'attachment_id',
    });
  const em = deps.orm.em.fork();
  if (!(await confirmLease(em, caller.accountId, input.attachmentId))) throw leaseEnded();
  const lease = await liveLease(em, caller.accountId, input.attachmentId);
  if (lease === undefined) throw leaseEnded();
  deps.notifier.announce([`account:${caller.accountId}`, `mailbox:${lease.agent_id}`]);
  return lease;
}
