import type { AcknowledgeResponse } from '#gen/agentworks/agents/v1/attachments_pb.ts';
import { isPassing, Refusal, refusalOf } from '../client/refusal.ts';
import { crashPoint } from '../crash-point.ts';
import type { Journal, KeptAcknowledgement } from '../journal/journal.ts';
import { ended } from './bindings.ts';

/** The server takes so many at once. */
const MOST_IDS = 100;

type State = KeptAcknowledgement['state'];

interface AcknowledgingDeps {
  readonly journal: Journal;
  readonly canTell: (attachmentId: string) => boolean;
  readonly tell: (attachmentId: string, messageIds: readonly string[], state: State) => Promise<AcknowledgeResponse>;
  /** What was kept was refused in the end. */
  readonly onRefused: (attachmentId: string, kept: KeptAcknowledgement, refusal: Refusal) => void;
  /** Nothing of this session is kept any more. */
  readonly onDrained: (attachmentId: string) => void;
  /** The journal failed under an answer. */
  readonly onFault: (error: unknown) => void;
}

/** The agent's own word: told to the server, or kept on disk until it can be, each session's in its order (RCP-1). */
export class Acknowledging {
  readonly #deps: AcknowledgingDeps;
  readonly #busy = new Set<string>();

  constructor(deps: AcknowledgingDeps) {
    this.#deps = deps;
  }

  async acknowledge(
    attachmentId: string,
    messageIds: readonly string[],
    state: State,
  ): Promise<AcknowledgeResponse | 'kept'> {
    const { journal, canTell, tell } = this.#deps;
    check(messageIds);
    if (canTell(attachmentId) && !this.has(attachmentId))
      try {
        const answer = await tell(attachmentId, messageIds, state);
        crashPoint('acknowledge.sent');
        journal.acknowledge(attachmentId, answer.acknowledgedIds, state);
        return answer;
      } catch (error) {
        if (journal.broken !== undefined || !isPassing(refusalOf(error))) throw error;
      }
    if (journal.lease(attachmentId) === undefined) throw ended();
    journal.acknowledgements.keep(attachmentId, { messageIds, state });
    this.drain();
    return 'kept';
  }

  has(attachmentId: string): boolean {
    return this.#deps.journal.acknowledgements.waiting().includes(attachmentId);
  }

  /** Tells what is kept, of everybody who can be heard. To tell it twice is harmless: states only move forward. */
  drain(): void {
    for (const attachmentId of this.#deps.journal.acknowledgements.waiting())
      if (!this.#busy.has(attachmentId) && this.#deps.canTell(attachmentId)) {
        this.#busy.add(attachmentId);
        void this.#tellAll(attachmentId)
          .catch(this.#deps.onFault)
          .finally(() => this.#busy.delete(attachmentId));
      }
  }

  async #tellAll(attachmentId: string): Promise<void> {
    const { journal, canTell, tell, onRefused, onDrained } = this.#deps;
    while (canTell(attachmentId)) {
      const [kept] = journal.acknowledgements.of(attachmentId);
      if (kept === undefined) return onDrained(attachmentId);
      try {
        await tell(attachmentId, kept.messageIds, kept.state);
      } catch (error) {
        const refusal = refusalOf(error);
        // It keeps its place; the next ping or the next link tries again.
        if (isPassing(refusal)) return;
        onRefused(attachmentId, kept, refusal);
      }
      crashPoint('acknowledge.sent');
      journal.acknowledgements.told(attachmentId, kept);
    }
  }
}

/** What the server would refuse must not be promised first. */
function check(messageIds: readonly string[]): void {
  const about = { subject: 'message_ids', bound: MOST_IDS };
  if (messageIds.length === 0) throw new Refusal('BAD_FIELD', 'Say which messages are acknowledged.', about);
  if (messageIds.length > MOST_IDS)
    throw new Refusal(
      'LIMIT_EXCEEDED',
      `At most ${MOST_IDS} messages are acknowledged at once; say the rest again.`,
      about,
    );
}
