import { randomUUID } from 'node:crypto';
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { SendRequestSchema, SendResponse } from '#gen/agentworks/messages/v1/messages_pb.ts';
import { isPassing, type Refusal, refusalOf } from '../client/refusal.ts';
import { checkWellFormed } from '../client/well-formed.ts';
import { crashPoint } from '../crash-point.ts';
import type { Entry, Journal } from '../journal/journal.ts';

/** Nobody has more sessions. */
const SENDERS = 10_000;

type Answer = SendResponse | 'queued';

interface SendingDeps {
  readonly journal: Journal;
  readonly canSend: (attachmentId: string) => boolean;
  readonly submit: (entry: Entry) => Promise<SendResponse>;
  readonly onRefused: (entry: Entry, refusal: Refusal) => void;
  /** Nothing of this sender waits any more. */
  readonly onDrained: (attachmentId: string) => void;
  /** The journal failed under an answer. */
  readonly onFault: (error: unknown) => void;
}

/** What agents send: on disk first, then to the server, each sender's one after the other (BRG-2). */
export class Sending {
  readonly #deps: SendingDeps;
  readonly #busy = new Set<string>();
  readonly #waiting = new Map<string, { readonly of: string; readonly answer: PromiseWithResolvers<Answer> }>();

  constructor(deps: SendingDeps) {
    this.#deps = deps;
  }

  async send(attachmentId: string, request: MessageInitShape<typeof SendRequestSchema>): Promise<Answer> {
    checkWellFormed(request);
    const submissionId = request.submissionId || randomUUID();
    const entry = { attachmentId, submissionId, request: { ...request, attachmentId, submissionId } };
    this.#deps.journal.outbox.add(entry);
    if (!this.#deps.canSend(attachmentId)) return 'queued';
    const { answer } = this.#waiting.get(key(entry)) ?? { answer: Promise.withResolvers<Answer>() };
    this.#waiting.set(key(entry), { of: attachmentId, answer });
    this.drain();
    return answer.promise;
  }

  /** Who has something waiting. */
  senders(): string[] {
    return this.#deps.journal.outbox.next(SENDERS).map(({ attachmentId }) => attachmentId);
  }

  has(attachmentId: string): boolean {
    return this.senders().includes(attachmentId);
  }

  /** Sends the next of everybody who may send and waits for no answer. */
  drain(): void {
    for (const entry of this.#deps.journal.outbox.next(SENDERS))
      if (!this.#busy.has(entry.attachmentId) && this.#deps.canSend(entry.attachmentId)) {
        this.#busy.add(entry.attachmentId);
        void this.#submit(entry).catch(this.#deps.onFault);
      }
  }

  async #submit(entry: Entry): Promise<void> {
    try {
      const answer = await this.#deps.submit(entry);
      crashPoint('outbox.sent');
      this.#done(entry);
      this.#tell(entry, (waiting) => waiting.resolve(answer));
    } catch (error) {
      if (this.#deps.journal.broken !== undefined) throw error;
      const refusal = refusalOf(error);
      this.#busy.delete(entry.attachmentId);
      if (isPassing(refusal)) return this.#tell(entry, (waiting) => waiting.resolve('queued'));
      this.#done(entry);
      this.#refuse(entry, refusal);
    }
    if (this.has(entry.attachmentId)) this.drain();
    else this.#deps.onDrained(entry.attachmentId);
  }

  #done(entry: Entry): void {
    this.#busy.delete(entry.attachmentId);
    this.#deps.journal.outbox.done(entry);
  }

  /** The lease ended: nothing of it can be sent any more, and those who were promised it are told. */
  refuseAll(attachmentId: string, refusal: Refusal): void {
    for (const entry of this.#deps.journal.outbox.of(attachmentId)) this.#refuse(entry, refusal);
  }

  /** The link broke, or carries this lease no more: what was not answered stays on disk, and nobody is kept waiting. */
  queue(attachmentId?: string): void {
    for (const [name, { of, answer }] of this.#waiting)
      if (attachmentId === undefined || of === attachmentId) {
        answer.resolve('queued');
        this.#waiting.delete(name);
      }
  }

  #refuse(entry: Entry, refusal: Refusal): void {
    if (this.#waiting.has(key(entry))) this.#tell(entry, (waiting) => waiting.reject(refusal));
    else this.#deps.onRefused(entry, refusal);
  }

  #tell(entry: Entry, how: (waiting: PromiseWithResolvers<Answer>) => void): void {
    const waiting = this.#waiting.get(key(entry));
    this.#waiting.delete(key(entry));
    if (waiting !== undefined) how(waiting.answer);
  }
}

const key = ({ attachmentId, submissionId }: Pick<Entry, 'attachmentId' | 'submissionId'>): string =>
  `${attachmentId} ${submissionId}`;
