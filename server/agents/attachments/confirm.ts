import { audit } from '../../access/audit.ts';
import type { Known } from '../../access/callers.ts';
import type { Database } from '../../core/database.ts';
import type { Notifier } from '../../core/notifier.ts';
import { leaseEnded } from './lease-ended.ts';
import { confirmLease, type LeaseRow, liveLease } from './store/leases.ts';
import { confirmed } from './written.ts';

/** The person agrees to a wider policy than the one the lease was approved under; what waited is delivered (ATT-9). */
export async function confirm(
  deps: { readonly orm: Database; readonly notifier: Notifier },
  caller: Known,
  input: { attachmentId: string },
): Promise<LeaseRow> {
  const lease = await deps.orm.em.fork().transactional(async (em) => {
    if (!(await confirmLease(em, caller.accountId, input.attachmentId))) throw leaseEnded();
    const found = await liveLease(em, caller.accountId, input.attachmentId);
    if (found === undefined) throw leaseEnded();
    await audit(em, confirmed(caller, found.agent_name));
    return found;
  });
  deps.notifier.announce([`account:${caller.accountId}`, `mailbox:${lease.agent_id}`]);
  return lease;
}
