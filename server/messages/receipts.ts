import { Presence } from '#gen/agentworks/agents/v1/agents_pb.ts';
import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import { ReceiptEventKind, ReceiptState, StandingReason } from '#gen/agentworks/messages/v1/messages_pb.ts';
import type { Known } from '../access/callers.ts';
import { Problem } from '../core/problem.ts';
import { type ReadDeps, requireLease } from './read.ts';
import { type Copy, type EventRow, eventsOf, sentCopy } from './store/receipts.ts';

export interface Receipt {
  readonly agentName: string;
  readonly state: ReceiptState;
  readonly reason: StandingReason;
  readonly events: readonly EventRow[];
}

/** What has become of a message the caller sent, and why it got no further (MSG-18). */
export async function receipts(
  deps: ReadDeps,
  caller: Known,
  input: { messageId: string; attachmentId: string },
): Promise<Receipt[]> {
  const em = deps.orm.em.fork();
  await requireLease(em, caller, input.attachmentId);
  const childOf = caller.kind === 'child' ? caller.agentId : null;
  const sender = {
    accountId: caller.accountId,
    connectionId: caller.connectionId,
    childOf,
    attachmentId: input.attachmentId,
  };
  const copy = await sentCopy(em, sender, input.messageId);
  if (copy === undefined)
    throw new Problem(
      Reason.NOT_FOUND,
      'no message with that id was sent from here; only its sender sees its receipts',
      {
        subject: 'message_id',
      },
    );
  const events = await eventsOf(em, input.messageId);
  const reach =
    copy.to_agent_id === null ? undefined : (await deps.agents.reach([copy.to_agent_id])).get(copy.to_agent_id);
  const presence = reach?.presence ?? Presence.MAILBOX_ONLY;
  return [
    {
      agentName: copy.to_agent,
      state: copy.state,
      reason: standing(copy, presence, events),
      events: [stored(copy), ...events],
    },
  ];
}

const stored = (copy: Copy): EventRow => ({
  kind: ReceiptEventKind.STORED,
  time: copy.create_time,
  route: '',
  attachment_id: '',
  source: 'server',
  detail: '',
});

/** The one reason that tells the sender most. */
function standing(copy: Copy, presence: Presence, events: readonly EventRow[]): StandingReason {
  if (copy.state === ReceiptState.PROCESSED || copy.state === ReceiptState.TYPED) return StandingReason.UNSPECIFIED;
  if (copy.removed) return StandingReason.UNREGISTERED;
  if (copy.state === ReceiptState.ADMITTED) return StandingReason.NOT_PROCESSED;
  const last = events.findLast(({ kind }) => kind === ReceiptEventKind.BLOCKED || kind === ReceiptEventKind.OFFERED);
  const blocked = last?.kind === ReceiptEventKind.BLOCKED ? BLOCKED[last.detail.split(':')[0]!] : undefined;
  if (blocked !== undefined) return blocked;
  if (copy.offered) return StandingReason.NOT_ACKNOWLEDGED;
  if (presence === Presence.MAILBOX_ONLY) return StandingReason.MAILBOX_ONLY;
  if (presence === Presence.OFFLINE) return StandingReason.OFFLINE;
  if (copy.wake_refused || events.some((event) => event.kind === ReceiptEventKind.WAKE_REFUSED))
    return StandingReason.WAKE_REFUSED;
  return copy.no_wake ? StandingReason.NO_WAKE : StandingReason.PENDING;
}

/** How the detail of a BLOCKED event begins. One that was not delivered stands where it stood: pending. */
const BLOCKED: Record<string, StandingReason> = {
  held: StandingReason.HELD_BY_HOST,
  'hook-not-trusted': StandingReason.HOOK_NOT_TRUSTED,
  'channel-ignored': StandingReason.CHANNEL_IGNORED,
};
