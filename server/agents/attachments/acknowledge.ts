import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import { ReceiptEventKind } from '#gen/agentworks/messages/v1/messages_pb.ts';
import type { Known } from '../../access/callers.ts';
import { crashPoint } from '../../core/crash-point.ts';
import type { Database } from '../../core/database.ts';
import { Problem } from '../../core/problem.ts';
import type { Directory } from '../directory.ts';
import { leaseEnded } from './lease-ended.ts';
import { move } from './store/receipts.ts';

/** How far a message got, in the receiver's own word. */
type Acknowledgement = 'admitted' | 'processed';

/**
 * States only move forward. A message that was typed into a terminal can still be acknowledged: typing says what we did,
 * and the agent's word says what it has.
 */
const moves = {
  admitted: { state: 2, from: [1, 4], kind: ReceiptEventKind.ADMITTED },
  processed: { state: 3, from: [1, 2, 4], kind: ReceiptEventKind.PROCESSED },
} as const;

export interface AcknowledgeInput {
  readonly attachmentId: string;
  readonly messageIds: readonly string[];
  readonly acknowledgement: Acknowledgement;
}

/** The receiving agent's own acknowledgement, through its live lease: nobody else's word makes a receipt (RCP-1). */
export async function acknowledge(
  deps: { readonly orm: Database; readonly agents: Directory },
  caller: Known,
  input: AcknowledgeInput,
): Promise<{ acknowledgedIds: string[]; unknownIds: string[] }> {
  if (caller.kind !== 'child')
    throw new Problem(
      Reason.NOT_ALLOWED,
      'only the attached agent acknowledges, with the secret of its child connection',
      {
        subject: 'attachment_id',
      },
    );
  const by = { attachmentId: input.attachmentId, childId: caller.connectionId };
  const done = await move(deps.orm.em.fork(), by, {
    ...moves[input.acknowledgement],
    messageIds: input.messageIds,
    isOffered: false,
    route: '',
    source: 'agent',
    detail: '',
  });
  crashPoint('acknowledge.committed');
  if (done === undefined) throw leaseEnded();
  deps.agents.seen(done.agentId);
  const asked = [...new Set(input.messageIds)];
  return {
    acknowledgedIds: asked.filter((id) => done.mine.has(id)),
    unknownIds: asked.filter((id) => !done.mine.has(id)),
  };
}
