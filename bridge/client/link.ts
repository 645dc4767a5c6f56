import type { MessageInitShape } from '@bufbuild/protobuf';
import { type Client, createClient, type Transport } from '@connectrpc/connect';
import { BridgeService, type LinkRequestSchema, type LinkResponse } from '#gen/agentworks/bridge/v1/bridge_pb.ts';
import { type MessageService, SendRequestSchema, type SendResponse } from '#gen/agentworks/messages/v1/messages_pb.ts';
import { backoffMs, pause } from './backoff.ts';
import { Frames } from './frames.ts';
import { Refusal, refusalOf } from './refusal.ts';
import { checkRequest } from './request.ts';
import { isTransient } from './send.ts';
import { Submissions } from './submissions.ts';

/** Carries one submission to the server and answers what became of it. How it travels is the link's business. */
export type Submit = (
  request: MessageInitShape<typeof SendRequestSchema>,
  signal: AbortSignal | undefined,
) => Promise<SendResponse>;

/** One call a message. */
export const byCall =
  (messages: Client<typeof MessageService>): Submit =>
  (request, signal) =>
    messages.send(request, signal === undefined ? {} : { signal });

export interface LinkOptions {
  /** This program's version, and the computer's name as the person will see it. */
  readonly version?: string;
  readonly computer?: string;
  /** How long a submission waits for an answer while the server is away. Default: 60 s. */
  readonly patienceMs?: number;
  /** Told when the stream breaks, before it is opened again. */
  readonly onBreak?: (refusal: Refusal) => void;
}

type Up = MessageInitShape<typeof LinkRequestSchema>;

/**
 * Sends over one stream that outlives its connections: about a tenth of the cost of a call a message. After a break it
 * connects again and sends what was not answered once more, with the same submission ids, so nothing is stored twice.
 */
export class Link implements Disposable {
  readonly #transport: Transport;
  readonly #options: LinkOptions;
  readonly #submissions = new Submissions();
  readonly #closing = new AbortController();
  /** Why the link is over, once it is. */
  #over: Refusal | undefined;
  #up: Frames<Up> | undefined;
  #isFlushing = false;

  constructor(transport: Transport, options: LinkOptions = {}) {
    this.#transport = transport;
    this.#options = options;
    void this.#hold();
  }

  /** Answers after the flush to disk. What is submitted in the same tick travels in one frame. */
  readonly submit: Submit = async (request, signal) => {
    if (this.#over !== undefined) throw this.#over;
    // Here, so that one bad text does not break the stream of all.
    checkRequest(SendRequestSchema, request);
    const answer = this.#submissions.add(request, this.#options.patienceMs ?? 60_000, signal);
    this.#flushSoon();
    return answer;
  };

  /** Leaves. Whatever is not answered yet is refused as CANCELED; its submission id is safe to send again. */
  close(): void {
    const sentence = 'The link was closed before the answer; the same submission id is safe to send again.';
    this.#end(new Refusal('CANCELED', sentence));
  }

  [Symbol.dispose](): void {
    this.close();
  }

  /** Connects, and connects again after every break, until the right to send ends or the link is closed. */
  async #hold(): Promise<void> {
    for (let failures = 1; this.#over === undefined; failures++) {
      try {
        for await (const frame of this.#open()) {
          if (frame.case === 'welcome') failures = 0;
          this.#heard(frame);
        }
        throw new Refusal('UNAVAILABLE', 'The server ended the link.');
      } catch (thrown) {
        this.#up = undefined;
        const refusal = refusalOf(thrown);
        if (this.#over !== undefined) return;
        if (!isTransient(refusal.reason)) return this.#end(refusal);
        this.#options.onBreak?.(refusal);
        this.#submissions.expire(refusal);
      }
      await pause(backoffMs(Math.max(1, failures)), this.#closing.signal);
    }
  }

  async *#open(): AsyncGenerator<LinkResponse['frame']> {
    const up = new Frames<Up>();
    const { version = '', computer = '' } = this.#options;
    up.put({ frame: { case: 'hello', value: { version, computer } } });
    try {
      const down = createClient(BridgeService, this.#transport).link(up, { signal: this.#closing.signal });
      for await (const { frame } of down) {
        if (frame.case === 'welcome') this.#up = up;
        yield frame;
      }
    } finally {
      up.end();
    }
  }

  #heard(frame: LinkResponse['frame']): void {
    switch (frame.case) {
      case 'welcome':
        this.#submissions.rewind();
        break;
      case 'results':
        for (const result of frame.value.results) this.#submissions.answer(result);
        break;
      case 'ping':
        this.#up?.put({ frame: { case: 'pong', value: { nonce: frame.value.nonce } } });
        break;
      default:
    }
    this.#flushSoon();
  }

  #flushSoon(): void {
    if (this.#isFlushing) return;
    this.#isFlushing = true;
    setImmediate(() => {
      this.#isFlushing = false;
      // Nothing goes before the welcome: until then it is not known who listens.
      if (this.#up === undefined) return;
      for (let next = this.#submissions.take(); next.length > 0; next = this.#submissions.take())
        this.#up.put({ frame: { case: 'submissions', value: { submissions: next } } });
    });
  }

  #end(refusal: Refusal): void {
    if (this.#over !== undefined) return;
    this.#over = refusal;
    this.#submissions.refuseAll(refusal);
    this.#closing.abort();
  }
}
