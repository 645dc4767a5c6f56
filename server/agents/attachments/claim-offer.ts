import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import type { Known } from '../../access/callers.ts';
import { crashPoint } from '../../core/crash-point.ts';
import type { Database } from '../../core/database.ts';
import type { Endings } from '../../core/endings.ts';
import { Problem } from '../../core/problem.ts';
import type { Directory } from '../directory.ts';
import { leaseEnded } from './lease-ended.ts';
import { claim, lockWaking, type Outcome } from './store/offers.ts';
import type { Guard } from './wake-guard.ts';

export interface ClaimDeps {
  readonly orm: Database;
  readonly endings: Endings;
  readonly agents: Directory;
  readonly guard: Guard;
}

export interface ClaimInput {
  readonly attachmentId: string;
  readonly messageIds: readonly string[];
  readonly route: string;
  readonly wakes: boolean;
}

export interface ClaimedOffer {
  readonly messageId: string;
  readonly outcome: Outcome;
}

/** Says of each message whether it may be released now. What is granted was never granted before (RCP-5). */
export async function claimOffer(deps: ClaimDeps, caller: Known, input: ClaimInput): Promise<ClaimedOffer[]> {
  using hold = deps.endings.hold(input.attachmentId);
  const by = { ...input, ...deps.guard, accountId: caller.accountId, connectionId: caller.connectionId };
  const em = deps.orm.em.fork();
  const { lease, outcomes } = input.wakes
    ? await em.transactional(async (inside) => {
        await lockWaking(inside, caller.accountId);
        return claim(inside, by);
      })
    : await claim(em, by);
  crashPoint('offer.claimed');
  if (lease === undefined) throw leaseEnded();
  if (lease.needsConfirmation)
    throw new Problem(
      Reason.NOT_ALLOWED,
      'this attachment waits for the person to confirm it; nothing is delivered before that',
      { subject: 'attachment_id' },
    );
  // The lease may have ended after the statement: then nothing leaves, and the next holder finds the message to read.
  hold.check();
  deps.agents.seen(lease.agentId);
  return eachOnce(input.messageIds, outcomes);
}

/** An id that is asked for twice is granted once. */
function eachOnce(messageIds: readonly string[], outcomes: ReadonlyMap<string, Outcome>): ClaimedOffer[] {
  const granted = new Set<string>();
  return messageIds.map((messageId) => {
    const outcome = outcomes.get(messageId) ?? 'not_found';
    if (outcome !== 'granted') return { messageId, outcome };
    if (granted.has(messageId)) return { messageId, outcome: 'already_offered' };
    granted.add(messageId);
    return { messageId, outcome };
  });
}
