import { setTimeout as later } from 'node:timers/promises';
import type { SendResponse } from '#gen/agentworks/messages/v1/messages_pb.ts';
import { type AgentWorks, connect, Refusal } from '../../bridge/client/index.ts';
import type { Agent } from '../world/people.ts';
import type { Ledger, Said } from './ledger.ts';

/** What may follow a failure when the submission id is the same: another try. Anything else is an answer. */
const uncertain = new Set(['UNAVAILABLE', 'DEADLINE_EXCEEDED', 'STORAGE_FULL']);

export interface SenderOptions {
  readonly to: string;
  /** One send in so many goes to everyone; never when absent. */
  readonly broadcastsEvery?: number;
  readonly bodyBytes?: number;
  readonly pauseMs?: number;
}

/** An agent that sends one message after another, and asks again with the same id until it knows. */
export class Sender {
  readonly retries = new Map<string, number>();
  readonly #agent: Agent;
  readonly #ledger: Ledger;
  readonly #options: SenderOptions;
  readonly #client: AgentWorks;
  readonly #stopped = new AbortController();
  readonly #done: Promise<void>;
  #inboxId = '';

  constructor(agent: Agent, ledger: Ledger, options: SenderOptions) {
    this.#agent = agent;
    this.#ledger = ledger;
    this.#options = options;
    this.#client = connect({ address: agent.server, secret: agent.secret, plaintext: true });
    this.#done = this.#run();
  }

  /** Resolves once what it began is known. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#done;
    this.#client.close();
  }

  async #run(): Promise<void> {
    const { broadcastsEvery = Infinity, bodyBytes = 0, pauseMs = 0 } = this.#options;
    for (let n = 1; !this.#stopped.signal.aborted; n++) {
      const { agentName } = this.#agent;
      const said = { sender: agentName, submissionId: `s-${n}`, body: `${agentName} ${n}`.padEnd(bodyBytes, '.') };
      this.#ledger.says(said);
      await this.#send(said, n % broadcastsEvery === 0);
      if (pauseMs > 0) await later(pauseMs);
    }
  }

  async #send(said: Said, toAll: boolean): Promise<void> {
    // The second send to one agent goes on in the conversation that the first began.
    const isReply = !toAll && this.#inboxId !== '' && said.submissionId.endsWith('3');
    const where = isReply
      ? { inboxId: this.#inboxId }
      : { target: toAll ? 'agent:*' : `agent:${this.#options.to}`, agentName: said.sender };
    for (;;) {
      try {
        const answer = await this.#client.messages.send({
          ...where,
          body: said.body,
          submissionId: said.submissionId,
        });
        this.#heard(said, answer);
        return;
      } catch (error) {
        if (!(error instanceof Refusal) || !uncertain.has(error.reason)) throw error;
        this.retries.set(error.reason, (this.retries.get(error.reason) ?? 0) + 1);
        await later(20);
      }
    }
  }

  #heard(said: Said, answer: SendResponse): void {
    this.#ledger.answered(
      said,
      answer.recipients.map(({ agentName: to, messageId }) => ({ to, messageId })),
    );
    if (answer.inboxId !== '') this.#inboxId = answer.inboxId;
  }
}
