import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { EndReason, type LeaseBinding } from '#gen/agentworks/bridge/v1/bridge_pb.ts';
import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import { readCursor, writeCursor } from '../core/cursor.ts';
import type { EndCause, Ended, Hold } from '../core/endings.ts';
import type { Waiter } from '../core/hub.ts';
import { limits } from '../core/limits.ts';
import { Problem } from '../core/problem.ts';
import { shownMessage } from '../messages/page.ts';
import { pageOf, type Reading, startReading } from '../messages/read.ts';
import type { Child, Holder, LinkDeps } from './deps.ts';
import type { Down, Outbox } from './outbox.ts';
import { letGo, takeUp } from './store.ts';

/** A lease that this link carries: whom it acts as, and how far it was delivered. */
interface Carried {
  readonly child: Child;
  readonly agentName: string;
  readonly reading: Reading;
  readonly hold: Hold;
  readonly waiter: Waiter;
  after: string;
}

/** The leases of one link. Only those that were woken are looked at; each is read from its own cursor. */
export class Leases {
  readonly #deps: LinkDeps;
  readonly #linkId: string;
  readonly #outbox: Outbox;
  readonly #wake: () => void;
  readonly #carried = new Map<string, Carried>();
  readonly #dirty = new Set<string>();

  constructor(deps: LinkDeps, linkId: string, outbox: Outbox, wake: () => void) {
    this.#deps = deps;
    this.#linkId = linkId;
    this.#outbox = outbox;
    this.#wake = wake;
  }

  /** The child whose lease this is, if the link carries it. */
  child(attachmentId: string): Child {
    const carried = this.#carried.get(attachmentId);
    if (carried === undefined)
      throw new Problem(Reason.LEASE_ENDED, 'that attachment is not bound on this link; bind it first', {
        subject: 'attachment_id',
      });
    carried.hold.check();
    return carried.child;
  }

  /** Takes a lease up; answers where its deliveries begin. */
  async bind(person: Holder, binding: LeaseBinding): Promise<string> {
    const child = await this.#deps.resolveSecret(binding.childSecret);
    if (child.kind !== 'child' || child.accountId !== person.accountId)
      throw new Problem(Reason.SIGNED_OUT, 'that child secret is revoked or not of this account; attach again', {
        subject: 'child_secret',
      });
    const what = { agentName: '', inboxId: '', fromAgent: '', attachmentId: binding.attachmentId };
    const reading = await startReading(this.#deps, child, what);
    const position = readCursor(reading.place, binding.after, '0');
    // From before the lease is taken up: an end in between must not be missed.
    const hold = this.#deps.endings.hold(
      binding.attachmentId,
      child.connectionId,
      boundTo(this.#linkId, binding.attachmentId),
    );
    const lease = await this.#takeUp(child, binding).catch((error: unknown) => {
      hold[Symbol.dispose]();
      throw error;
    });
    const from = Number(position) > Number(lease.start_seq) ? position : lease.start_seq;
    const after = writeCursor(reading.place, from);
    this.#let(binding.attachmentId);
    const waiter = this.#deps.hub.subscribe(reading.topic);
    this.#carried.set(binding.attachmentId, { child, agentName: lease.agent_name, reading, hold, waiter, after });
    hold.onEnd = (cause) => this.#end(binding.attachmentId, cause);
    if (hold.ended !== undefined) this.#end(binding.attachmentId, hold.ended.cause);
    this.#deps.notifier.announce([`account:${person.accountId}`]);
    return after;
  }

  /** Deliveries begin once the answer to the binding is on its way: nobody gets a message of a lease it has not got. */
  begin(attachmentId: string): void {
    const carried = this.#carried.get(attachmentId);
    if (carried === undefined) return;
    carried.waiter.onWake = () => this.#mark(attachmentId);
    this.#mark(attachmentId);
  }

  /**
   * Tells whoever carried the lease until now, and does not wait for it: a claim is granted once wherever it is asked,
   * and a server that was killed would hold up every bridge for the 15 s of its lease.
   */
  async #takeUp(child: Child, binding: LeaseBinding) {
    const { lease, settle } = await this.#deps.orm.em.fork().transactional(async (em) => {
      const taken = await takeUp(em, {
        id: binding.attachmentId,
        childId: child.connectionId,
        linkId: this.#linkId,
        route: binding.route,
        routeDetail: binding.routeDetail,
        wakes: binding.wakes,
      });
      const before = taken?.previous_link_id ?? this.#linkId;
      const id = boundTo(before, binding.attachmentId);
      const ends: Ended[] = before === this.#linkId ? [] : [{ id, cause: 'taken-up-elsewhere' }];
      return { lease: taken, settle: await this.#deps.notifier.endIn(em, ends) };
    });
    if (lease === undefined)
      throw new Problem(Reason.LEASE_ENDED, 'this attachment was replaced or detached; attach again', {
        subject: 'attachment_id',
      });
    settle().catch((error: unknown) => this.#deps.log.warn({ event: 'link.take_up_untold', err: error }));
    return lease;
  }

  async unbind(attachmentId: string): Promise<void> {
    const carried = this.#carried.get(attachmentId);
    if (carried === undefined) return;
    this.#let(attachmentId);
    await letGo(this.#deps.orm.em.fork(), attachmentId, this.#linkId);
    this.#deps.notifier.announce([`account:${carried.child.accountId}`]);
  }

  /** One frame of what is new, for as many woken leases as fit; undefined when there is nothing. */
  async deliveries(): Promise<Down | undefined> {
    const deliveries = [];
    let bytes = 0;
    // As it is now: whoever is bound or woken meanwhile comes with the next frame, after the answer to its binding.
    const woken = [...this.#dirty];
    for (const attachmentId of woken) {
      if (bytes > limits.pageBytes.max / 2) break;
      this.#dirty.delete(attachmentId);
      const delivery = await this.#next(attachmentId);
      if (delivery === undefined) continue;
      for (const { message } of delivery.messages) bytes += Buffer.byteLength(message.body);
      deliveries.push(delivery);
    }
    // A lease that ended while another was read releases nothing any more (RCP-5).
    const current = deliveries.filter(({ attachmentId }) => this.#carried.has(attachmentId));
    return current.length === 0 ? undefined : { frame: { case: 'deliveries', value: { deliveries: current } } };
  }

  async #next(attachmentId: string) {
    const carried = this.#carried.get(attachmentId);
    if (carried === undefined) return undefined;
    const page = await pageOf(this.#deps, carried.reading, carried.after, limits.deliveryBatch.max).catch(
      (error: unknown) => {
        // Not confirmed yet, or ending just now: the end itself is told by its own frame.
        if (error instanceof Problem && error.reason !== Reason.BAD_CURSOR) return undefined;
        throw error;
      },
    );
    // Bound anew meanwhile, it begins where it was asked to.
    if (this.#carried.get(attachmentId) !== carried) return undefined;
    if (page === undefined || page.messages.length === 0 || carried.hold.ended !== undefined) return undefined;
    carried.after = page.nextCursor;
    this.#mark(attachmentId); // There may be more than one batch.
    return {
      attachmentId,
      nextCursor: page.nextCursor,
      messages: page.messages.map((row) => ({
        message: shownMessage(row),
        mayWake: row.may_wake,
        offeredBefore: row.offered,
      })),
    };
  }

  #mark(attachmentId: string): void {
    this.#dirty.add(attachmentId);
    this.#wake();
  }

  #end(attachmentId: string, cause: EndCause): void {
    const carried = this.#carried.get(attachmentId);
    if (carried === undefined) return;
    this.#let(attachmentId);
    // Not the lease but this node, or what the link itself rests on: the link breaks, and is bound anew.
    if (cause === 'out-of-touch' || cause === 'narrowed') return;
    const time = timestampFromMs(this.#deps.clock.now());
    const value = { attachmentId, reason: reasons[cause], agentName: carried.agentName, time };
    this.#outbox.put({ case: 'ended', value });
  }

  #let(attachmentId: string): void {
    const carried = this.#carried.get(attachmentId);
    this.#carried.delete(attachmentId);
    this.#dirty.delete(attachmentId);
    carried?.hold[Symbol.dispose]();
    carried?.waiter[Symbol.dispose]();
  }

  [Symbol.dispose](): void {
    for (const attachmentId of this.#carried.keys()) this.#let(attachmentId);
  }
}

const boundTo = (linkId: string, attachmentId: string) => `bound:${linkId}:${attachmentId}`;

const reasons: Record<Exclude<EndCause, 'out-of-touch' | 'narrowed'>, EndReason> = {
  moved: EndReason.MOVED,
  detached: EndReason.DETACHED,
  revoked: EndReason.REVOKED,
  expired: EndReason.REVOKED,
  unregistered: EndReason.UNREGISTERED,
  'taken-up-elsewhere': EndReason.TAKEN_UP_ELSEWHERE,
};
