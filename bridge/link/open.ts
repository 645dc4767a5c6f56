import type { MessageInitShape } from '@bufbuild/protobuf';
import { createClient, type Transport } from '@connectrpc/connect';
import { Acknowledgement } from '#gen/agentworks/agents/v1/attachments_pb.ts';
import {
  BridgeService,
  type Delivery,
  EndReason,
  type LinkRequestSchema,
  type LinkResponse,
  type Welcome,
} from '#gen/agentworks/bridge/v1/bridge_pb.ts';
import type { SendRequestSchema, SendResponse } from '#gen/agentworks/messages/v1/messages_pb.ts';
import { backoffMs, pause } from '../client/backoff.ts';
import { Frames } from '../client/frames.ts';
import { Refusal, refusalOf } from '../client/refusal.ts';
import type { Entry, SavedLease } from '../journal/journal.ts';
import { Acknowledging } from './acknowledging.ts';
import { Bindings, ended } from './bindings.ts';
import type { BridgeLink, LinkDeps, Shown, Way } from './bridge-link.ts';
import { Evidence } from './evidence.ts';
import { Questions } from './questions.ts';
import { Sending } from './sending.ts';

type Up = MessageInitShape<typeof LinkRequestSchema>;

/** For a lease whose session has gone and whose last words wait. */
const SENDING_ONLY: Way = { route: 'mailbox', wakes: false, routeDetail: 'only says what waited for the server' };

/** Holds the link until the right to it ends. */
export const openLink = (deps: LinkDeps): BridgeLink => new OpenLink(deps);

class OpenLink implements BridgeLink {
  connected = false;
  problem = 'Not connected yet.';
  serverVersion = '';
  readonly #deps: LinkDeps;
  readonly #questions = new Questions();
  readonly #evidence = new Evidence();
  readonly #bindings: Bindings;
  readonly #sending: Sending;
  readonly #acknowledging: Acknowledging;
  /** Bound for what they still send. */
  readonly #sendingOnly = new Set<string>();
  readonly #closing = new AbortController();
  readonly #held: Promise<void>;
  #up: Frames<Up> | undefined;
  #over: Refusal | undefined;

  constructor(deps: LinkDeps) {
    this.#deps = deps;
    this.#bindings = new Bindings({
      journal: deps.journal,
      put: (leases) => this.#put({ case: 'bind', value: { leases } }),
      onBound: (attachmentId) => this.#bound(attachmentId),
      onEnded: (attachmentId, reason) => this.#ended(attachmentId, reason),
    });
    this.#sending = new Sending({
      journal: deps.journal,
      canSend: (attachmentId) => this.#bindings.isBound(attachmentId),
      submit: (entry) => this.#submit(entry),
      onRefused: (entry, refusal) => deps.onRefused?.(entry, refusal),
      onDrained: (attachmentId) => this.#drained(attachmentId),
      onFault: (error) => this.#end(refusalOf(error)),
    });
    this.#acknowledging = new Acknowledging({
      journal: deps.journal,
      canTell: (attachmentId) => this.#bindings.isBound(attachmentId),
      tell: (attachmentId, messageIds, state) => this.#acknowledge(attachmentId, messageIds, state),
      onRefused: (attachmentId, kept, refusal) => deps.onUntold?.(attachmentId, kept, refusal),
      onDrained: (attachmentId) => this.#drained(attachmentId),
      onFault: (error) => this.#end(refusalOf(error)),
    });
    this.#held = this.#hold();
  }

  async bind({ attachmentId }: Pick<SavedLease, 'attachmentId'>, way: Way): Promise<void> {
    if (this.#over !== undefined) throw this.#over;
    this.#sendingOnly.delete(attachmentId);
    this.#bindings.want(attachmentId, way);
    if (this.connected) await this.#bindings.bind(attachmentId);
  }

  unbind(attachmentId: string): void {
    this.#evidence.forget(attachmentId);
    if (this.connected && !this.#sendingOnly.has(attachmentId) && this.#hasSomething(attachmentId)) {
      this.#sendLast(attachmentId);
      return;
    }
    this.#sendingOnly.delete(attachmentId);
    this.#bindings.drop(attachmentId);
    this.#sending.queue(attachmentId);
    this.#put({ case: 'unbind', value: { attachmentIds: [attachmentId] } });
  }

  /** That the server has not heard. */
  #hasSomething(attachmentId: string): boolean {
    return this.#sending.has(attachmentId) || this.#acknowledging.has(attachmentId);
  }

  #drained(attachmentId: string): void {
    if (this.#sendingOnly.has(attachmentId) && !this.#hasSomething(attachmentId)) this.unbind(attachmentId);
  }

  #sendLast(attachmentId: string): void {
    this.#sendingOnly.add(attachmentId);
    this.#bindings.want(attachmentId, SENDING_ONLY);
    void this.#bindings.bind(attachmentId).catch(() => {});
  }

  async claim(attachmentId: string, messageIds: readonly string[], route: string, wakes: boolean) {
    this.#requireBound(attachmentId);
    const request = { attachmentId, messageIds: [...messageIds], route, wakes };
    const { offers } = await this.#questions.ask('claimed', (tag) =>
      this.#put({ case: 'claim', value: { tag, request } }),
    );
    return offers;
  }

  async acknowledge(attachmentId: string, messageIds: readonly string[], state: 'admitted' | 'processed') {
    if (this.#over !== undefined) throw this.#over;
    return this.#acknowledging.acknowledge(attachmentId, messageIds, state);
  }

  evidence(attachmentId: string, shown: Shown): void {
    this.#evidence.add({ ...shown, attachmentId });
    this.#tellEvidence();
  }

  async send(
    attachmentId: string,
    request: MessageInitShape<typeof SendRequestSchema>,
  ): Promise<SendResponse | 'queued'> {
    if (this.#over !== undefined) throw this.#over;
    if (this.#deps.journal.lease(attachmentId) === undefined) throw ended();
    return this.#sending.send(attachmentId, request);
  }

  async close(): Promise<void> {
    this.#end(new Refusal('CANCELED', 'The bridge is stopping.'));
    await this.#held;
  }

  #requireBound(attachmentId: string): void {
    if (this.#over !== undefined) throw this.#over;
    if (!this.#bindings.isBound(attachmentId))
      throw new Refusal('UNAVAILABLE', `The server is away (${this.problem}); ask again once the link is back.`);
  }

  /** Connects, and connects again after every break. */
  async #hold(): Promise<void> {
    for (let failures = 1; this.#over === undefined; failures++) {
      try {
        const { transport, close } = await this.#deps.open();
        try {
          for await (const frame of this.#open(transport)) {
            if (frame.case === 'welcome') failures = 0;
            this.#heard(frame);
          }
        } finally {
          close();
        }
        throw new Refusal('UNAVAILABLE', 'The server ended the link.');
      } catch (thrown) {
        const refusal = refusalOf(thrown);
        // A sign-in that is gone does not come back by itself, nor does a journal that broke.
        if (refusal.reason === 'SIGNED_OUT' || this.#deps.journal.broken !== undefined) this.#end(refusal);
        this.#broke(this.#over ?? refusal);
      }
      await pause(backoffMs(Math.max(1, failures)), this.#closing.signal);
    }
  }

  async *#open(transport: Transport): AsyncGenerator<LinkResponse['frame']> {
    const up = new Frames<Up>();
    up.put({ frame: { case: 'hello', value: this.#deps.hello } });
    try {
      const down = createClient(BridgeService, transport).link(up, { signal: this.#closing.signal });
      for await (const { frame } of down) {
        // Nothing else goes up before it: until then it is not known who listens.
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
        this.#welcomed(frame.value);
        break;
      case 'bound':
        for (const lease of frame.value.leases) this.#bindings.heard(lease);
        break;
      case 'deliveries':
        for (const delivery of frame.value.deliveries) this.#received(delivery);
        break;
      case 'results':
        for (const result of frame.value.results) this.#questions.answer(result);
        break;
      case 'ended':
        this.#ended(frame.value.attachmentId, frame.value.reason);
        break;
      case 'ping':
        this.#put({ case: 'pong', value: { nonce: frame.value.nonce } });
        this.#bindings.resume();
        this.#sending.drain();
        this.#acknowledging.drain();
        break;
      default:
    }
  }

  #welcomed({ epoch, version }: Welcome): void {
    this.#deps.journal.begin(epoch);
    this.serverVersion = version;
    this.connected = true;
    this.problem = '';
    // Whoever left while the server was away still has its say.
    const waiting = new Set([...this.#sending.senders(), ...this.#deps.journal.acknowledgements.waiting()]);
    for (const attachmentId of waiting)
      if (!this.#bindings.isWanted(attachmentId)) {
        this.#sendingOnly.add(attachmentId);
        this.#bindings.want(attachmentId, SENDING_ONLY);
      }
    this.#bindings.bindAll();
    this.#deps.onChange?.();
  }

  #bound(attachmentId: string): void {
    this.#tellEvidence();
    this.#sending.drain();
    this.#acknowledging.drain();
    this.#deps.onPending(attachmentId);
  }

  #received({ attachmentId, messages, nextCursor }: Delivery): void {
    if (this.#bindings.isPaused(attachmentId)) return;
    try {
      const items = this.#deps.journal.receive(attachmentId, messages, nextCursor);
      if (items.length > 0) this.#deps.onPending(attachmentId);
    } catch (error) {
      if (!(error instanceof Refusal) || error.reason !== 'STORAGE_FULL') throw error;
      this.#bindings.pause(attachmentId);
    }
  }

  #ended(attachmentId: string, reason: EndReason): void {
    this.#sendingOnly.delete(attachmentId);
    this.#evidence.forget(attachmentId);
    this.#bindings.drop(attachmentId);
    // It lives on, on another link; what waits here waits.
    const isElsewhere = reason === EndReason.TAKEN_UP_ELSEWHERE;
    if (isElsewhere) this.#sending.queue(attachmentId);
    else this.#sending.refuseAll(attachmentId, ended());
    this.#deps.onEnded(attachmentId, reason);
    if (!isElsewhere) this.#deps.journal.endLease(attachmentId);
  }

  async #submit({ request }: Entry): Promise<SendResponse> {
    return this.#questions.ask('sent', (tag) =>
      this.#put({ case: 'submissions', value: { submissions: [{ tag, request }] } }),
    );
  }

  async #acknowledge(attachmentId: string, messageIds: readonly string[], state: 'admitted' | 'processed') {
    const acknowledgement = state === 'admitted' ? Acknowledgement.ADMITTED : Acknowledgement.PROCESSED;
    const request = { attachmentId, messageIds: [...messageIds], acknowledgement };
    return this.#questions.ask('acknowledged', (tag) => this.#put({ case: 'acknowledge', value: { tag, request } }));
  }

  #tellEvidence(): void {
    for (const evidence of this.#evidence.take((id) => this.#bindings.isBound(id)))
      this.#put({ case: 'evidence', value: { evidence } });
  }

  #put(frame: NonNullable<Up['frame']>): void {
    this.#up?.put({ frame });
  }

  #broke(refusal: Refusal): void {
    this.#up = undefined;
    this.connected = false;
    this.problem = refusal.sentence;
    this.#bindings.unbindAll();
    this.#questions.giveUp(new Refusal('UNAVAILABLE', refusal.sentence, {}, refusal));
    this.#sending.queue();
    this.#deps.onChange?.();
  }

  #end(refusal: Refusal): void {
    if (this.#over !== undefined) return;
    this.#over = refusal;
    this.#closing.abort();
  }
}
