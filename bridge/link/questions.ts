import type { AcknowledgeResponse, ClaimOfferResponse } from '#gen/agentworks/agents/v1/attachments_pb.ts';
import type { Result } from '#gen/agentworks/bridge/v1/bridge_pb.ts';
import type { SendResponse } from '#gen/agentworks/messages/v1/messages_pb.ts';
import { refused, type Refusal } from '../client/refusal.ts';

interface Answers {
  readonly sent: SendResponse;
  readonly claimed: ClaimOfferResponse;
  readonly acknowledged: AcknowledgeResponse;
}
type Outcome = Result['outcome'];

/** What was asked on a link and is not answered: each by a tag of its own. */
export class Questions {
  readonly #open = new Map<bigint, PromiseWithResolvers<Outcome>>();
  #last = 0n;

  async ask<K extends keyof Answers>(kind: K, put: (tag: bigint) => void): Promise<Answers[K]> {
    const tag = ++this.#last;
    const question = Promise.withResolvers<Outcome>();
    this.#open.set(tag, question);
    put(tag);
    const outcome = await question.promise;
    if (outcome.case === 'problem') throw refused(outcome.value);
    if (outcome.case !== kind) throw new Error(`the server answered ${String(outcome.case)} to ${kind}`);
    return outcome.value as Answers[K];
  }

  answer({ tag, outcome }: Result): void {
    this.#open.get(tag)?.resolve(outcome);
    this.#open.delete(tag);
  }

  /** The link broke: whether these acts were done is not known. */
  giveUp(refusal: Refusal): void {
    for (const question of this.#open.values()) question.reject(refusal);
    this.#open.clear();
  }
}
