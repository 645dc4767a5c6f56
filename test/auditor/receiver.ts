import { setTimeout as later } from 'node:timers/promises';
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { createClient } from '@connectrpc/connect';
import { Acknowledgement, OfferOutcome } from '#gen/agentworks/agents/v1/attachments_pb.ts';
import {
  BridgeService,
  type Deliveries,
  type EndReason,
  LinkRequestSchema,
  type LinkResponse,
} from '#gen/agentworks/bridge/v1/bridge_pb.ts';
import type { Message } from '#gen/agentworks/messages/v1/messages_pb.ts';
import { Refusal } from '../../bridge/client/index.ts';
import { openTransport } from '../../bridge/client/transport.ts';
import type { Attached } from '../world/attached.ts';
import type { Person } from '../world/people.ts';
import type { Ledger } from './ledger.ts';

type Up = MessageInitShape<typeof LinkRequestSchema>['frame'];

/** An attached session: takes what its link brings, asks leave to release it, and acknowledges what it released. */
export class Receiver {
  /** All that the link delivered, in its order, across every break. */
  readonly delivered: Message[] = [];
  /** Why the lease ended on its link, each time it did. */
  readonly ends: EndReason[] = [];
  readonly #person: Person;
  readonly #lease: Attached;
  readonly #ledger: Ledger;
  readonly #stopped = new AbortController();
  readonly #done: Promise<void>;
  #after = '';
  #tag = 0n;
  #asked = new Map<bigint, { readonly ids: string[]; readonly state: number }>();

  constructor(person: Person, lease: Attached, ledger: Ledger) {
    this.#person = person;
    this.#lease = lease;
    this.#ledger = ledger;
    this.#done = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#done;
  }

  async #run(): Promise<void> {
    while (!this.#stopped.signal.aborted) {
      try {
        await this.#link();
      } catch (error) {
        if (!(error instanceof Refusal) || !['UNAVAILABLE', 'CANCELED'].includes(error.reason)) throw error;
        await later(20);
      }
    }
  }

  /** One link, until it breaks. What was asked on it and not answered stays open. */
  async #link(): Promise<void> {
    const { server: address, secret } = this.#person;
    const opened = openTransport({ address, secret, plaintext: true });
    const up = new Frames();
    this.#asked = new Map();
    try {
      up.write({ case: 'hello', value: { version: '0.1.0', bootId: 'boot', computer: 'desk' } });
      const { attachmentId, child } = this.#lease;
      const lease = { attachmentId, childSecret: child.secret ?? '', after: this.#after, route: 'test' };
      up.write({ case: 'bind', value: { leases: [lease] } });
      const { signal } = this.#stopped;
      for await (const down of createClient(BridgeService, opened.transport).link(up, { signal })) this.#hear(down, up);
    } finally {
      up.end();
      opened.close();
    }
  }

  #hear({ frame }: LinkResponse, up: Frames): void {
    if (frame.case === 'ping') up.write({ case: 'pong', value: { nonce: frame.value.nonce } });
    if (frame.case === 'deliveries') this.#take(frame.value, up);
    if (frame.case === 'ended') this.ends.push(frame.value.reason);
    if (frame.case !== 'results') return;
    for (const { tag, outcome } of frame.value.results) {
      if (outcome.case === 'claimed') {
        const granted = outcome.value.offers.filter((offer) => offer.outcome === OfferOutcome.GRANTED);
        for (const { messageId } of granted) this.#ledger.granted(messageId);
        this.#acknowledge(
          granted.map(({ messageId }) => messageId),
          up,
        );
      }
      if (outcome.case === 'acknowledged')
        for (const id of outcome.value.acknowledgedIds) this.#ledger.acknowledges(id, this.#asked.get(tag)!.state);
    }
  }

  #take({ deliveries }: Deliveries, up: Frames): void {
    for (const { attachmentId, messages, nextCursor } of deliveries) {
      this.delivered.push(...messages.map(({ message }) => message!));
      this.#after = nextCursor;
      const messageIds = messages.map(({ message }) => message!.messageId);
      up.write({ case: 'claim', value: { tag: ++this.#tag, request: { attachmentId, messageIds, route: 'test' } } });
    }
  }

  /** Every other batch is acted upon at once; the rest is only taken in. */
  #acknowledge(messageIds: string[], up: Frames): void {
    if (messageIds.length === 0) return;
    const tag = ++this.#tag;
    const acknowledgement = tag % 2n === 0n ? Acknowledgement.PROCESSED : Acknowledgement.ADMITTED;
    this.#asked.set(tag, { ids: messageIds, state: tag % 2n === 0n ? 3 : 2 });
    for (const id of messageIds) this.#ledger.asks(id, tag % 2n === 0n ? 3 : 2);
    const { attachmentId } = this.#lease;
    up.write({ case: 'acknowledge', value: { tag, request: { attachmentId, messageIds, acknowledgement } } });
  }
}

/** Frames on their way up, as they are written. */
class Frames implements AsyncIterable<MessageInitShape<typeof LinkRequestSchema>> {
  readonly #waiting: Up[] = [];
  #ended = false;
  #wake = () => {};

  write(frame: Up): void {
    this.#waiting.push(frame);
    this.#wake();
  }

  end(): void {
    this.#ended = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator]() {
    while (!this.#ended) {
      for (let frame = this.#waiting.shift(); frame !== undefined; frame = this.#waiting.shift())
        yield create(LinkRequestSchema, { frame });
      await new Promise<void>((done) => {
        this.#wake = done;
        if (this.#waiting.length > 0 || this.#ended) done();
      });
    }
  }
}
