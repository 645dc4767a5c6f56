import { EvidenceKind } from '#gen/agentworks/bridge/v1/bridge_pb.ts';
import { Activity } from '#gen/agentworks/bridge/v1/local_pb.ts';
import { backoffMs } from '../client/backoff.ts';
import type { Item, SavedLease } from '../journal/journal.ts';
import type { BridgeLink, Way } from '../link/bridge-link.ts';
import type { Route, Status } from '../routes/route.ts';
import { stopHook } from '../routes/stop-hook.ts';
import type { HostSession, Sessions } from '../sessions/session.ts';
import { Hindrances } from './hindrances.ts';
import { Release, type ReleaseDeps, type Way as Offering } from './release.ts';
import { reminder } from './reminder.ts';
import { Turns } from './turns.ts';
import { untold } from './untold.ts';

export interface DeliveryDeps extends ReleaseDeps {
  readonly link: ReleaseDeps['link'] & Pick<BridgeLink, 'bind'>;
  readonly sessions: Pick<Sessions, 'heldBy'>;
  /** The ways in of each host, best first. */
  readonly routes: Readonly<Record<string, readonly Route[]>>;
  /** What the agent is told of itself and its peers; undefined while the server cannot be asked. */
  readonly setup: (lease: SavedLease) => Promise<string | undefined>;
  /** Tells the person, by the agent's name and never with a body: messages wait for a session that nothing wakes, or were missed. */
  readonly notify: (lease: SavedLease, what: 'waiting' | 'missed' | 'held') => void;
  /** What is shown of a session may be another now. */
  readonly onChange: () => void;
}

const AT_ONCE = 20;
/** More than the journal holds for a session. */
const MOST_WAITING = 2_000;
const LONGEST_DETAIL = 128;

/** Brings what waits to the sessions it waits for: one act at a time for each, by the best way in that stands open. */
export class Delivery {
  readonly #deps: DeliveryDeps;
  readonly #release: Release;
  readonly #turns = new Turns();
  readonly #hindrances = new Hindrances();
  readonly #entered = new Set<string>();
  readonly #failures = new Map<string, number>();
  readonly #notified = new Set<string>();
  readonly #told = new Map<string, string>();

  constructor(deps: DeliveryDeps) {
    this.#deps = deps;
    this.#release = new Release(deps);
  }

  /** The session of a lease, if its very process still holds it. */
  sessionOf({ provider, process, sessionId }: SavedLease): HostSession | undefined {
    const session = this.#deps.sessions.heldBy(provider, process);
    return session?.sessionId === sessionId ? session : undefined;
  }

  /** How a session would be reached, attached or not. */
  reachOf(session: HostSession, attachmentId = ''): Way {
    const { route, why } = this.#best(session, attachmentId);
    if (route !== undefined) return { route: route.name, wakes: true, routeDetail: '' };
    return { route: stopHook.name, wakes: false, routeDetail: Array.from(why).slice(0, LONGEST_DETAIL).join('') };
  }

  /** Takes a lease up on the link, as its session is reached now. */
  async bind(lease: SavedLease, session: HostSession): Promise<Way> {
    const way = this.reachOf(session, lease.attachmentId);
    this.#told.set(lease.attachmentId, JSON.stringify(way));
    await this.#deps.link.bind(lease, way);
    return way;
  }

  #best(session: HostSession, attachmentId: string): { readonly route?: Route; readonly why: string } {
    let why = this.#hindrances.of(attachmentId);
    if (why !== '') return { why };
    for (const route of this.#deps.routes[session.provider] ?? []) {
      const reach = route.reach(session);
      if (reach.ok) return { route, why: '' };
      why ||= reach.why;
    }
    return { why };
  }

  /** The host would hold what is pushed until the person lets it in, so it is told at turn boundaries; '' ends that. */
  hold(attachmentId: string, why: string): void {
    if (this.#hindrances.set(attachmentId, 'mode', why)) this.nudge(attachmentId);
  }

  /** A way in that failed is tried again: the host showed that it lives. */
  revive(attachmentId: string): void {
    if (this.#hindrances.set(attachmentId, 'failed', '')) this.nudge(attachmentId);
  }

  forget(attachmentId: string): void {
    this.#hindrances.forget(attachmentId);
    for (const kept of [this.#told, this.#notified, this.#failures]) kept.delete(attachmentId);
  }

  /** Something may have changed: messages came, the link came up, the session moved. */
  nudge(attachmentId: string): void {
    void this.#turns
      .take(attachmentId, () => this.#push(attachmentId))
      .then(this.#deps.onChange)
      .catch((error: unknown) => this.#deps.log('delivery.fault', { attachmentId, error }));
  }

  async #push(attachmentId: string): Promise<void> {
    const { journal, link } = this.#deps;
    for (;;) {
      const lease = journal.lease(attachmentId);
      const session = lease === undefined ? undefined : this.sessionOf(lease);
      if (lease === undefined || session === undefined || !link.connected) return;
      const { route } = this.#best(session, attachmentId);
      this.#tellWay(lease, session);
      const items = journal.pending(attachmentId, AT_ONCE);
      if (route === undefined) {
        if (items.length > 0 && session.activity !== Activity.BUSY) this.#notify(lease);
        return;
      }
      const waking = this.#waking(attachmentId, items);
      if (waking.length === 0) return;
      const way = { ...pick(route), wakes: true, emit: this.#emitter(lease, route) };
      const outcome = await this.#release.offer(lease, waking, way, await this.#preface(lease));
      if (outcome === 'away') return this.#later(attachmentId);
      this.#failures.delete(attachmentId);
      if (typeof outcome === 'object') this.#hindrances.set(attachmentId, 'failed', `${route.name}: ${outcome.failed}`);
    }
  }

  /** A claim that was not answered on a link that stands: asked again after a while. A broken link nudges when it is back. */
  #later(attachmentId: string): void {
    const failures = (this.#failures.get(attachmentId) ?? 0) + 1;
    this.#failures.set(attachmentId, failures);
    const timer = setTimeout(() => this.nudge(attachmentId), backoffMs(failures));
    timer.unref();
  }

  /** What may start a turn, oldest first; many that may not must not stand in its way. */
  #waking(attachmentId: string, first: readonly Item[]): readonly Item[] {
    const mayWake = (item: Item): boolean => this.#release.mayWake(item);
    const found = first.filter(mayWake);
    if (found.length > 0 || first.length < AT_ONCE) return found;
    return this.#deps.journal.pending(attachmentId, MOST_WAITING).filter(mayWake).slice(0, AT_ONCE);
  }

  #emitter(lease: SavedLease, route: Route): Offering['emit'] {
    return async (text, messageIds) => {
      // Verified again at the last moment: the claim took its time, and the session may have gone (RTE-12).
      const session = this.sessionOf(lease);
      if (session === undefined) return { failed: 'the session is gone' };
      return route.offer(session, text, (status) => this.#hostSays(lease, route, messageIds, status));
    };
  }

  /** The host took a text and did not show it at once. What it holds is the person's to let in, and not ours to repeat. */
  #hostSays(lease: SavedLease, route: Route, messageIds: readonly string[], status: Status): void {
    const { attachmentId } = lease;
    this.#deps.log('offer.held', { attachmentId, route: route.name, status, messageIds });
    if (status === 'let in') {
      this.#hindrances.set(attachmentId, 'held', '');
      this.entered(attachmentId, messageIds, route.name);
      return;
    }
    const detail = status === 'held' ? '' : 'the person or the host refused it';
    this.#deps.link.evidence(attachmentId, {
      kind: EvidenceKind.HELD_BY_HOST,
      messageIds: [...messageIds],
      route: route.name,
      detail,
    });
    if (this.#hindrances.set(attachmentId, 'held', 'its host holds pushed messages until the person lets each in'))
      this.#deps.notify(lease, 'held');
    this.nudge(attachmentId);
  }

  async #preface(lease: SavedLease): Promise<string> {
    return lease.setupDone ? '' : ((await this.#deps.setup(lease)) ?? '');
  }

  /** Once until its next turn, however many messages come (BRG-10). */
  #notify(lease: SavedLease): void {
    if (this.#notified.has(lease.attachmentId)) return;
    this.#notified.add(lease.attachmentId);
    this.#deps.notify(lease, 'waiting');
  }

  /** Peers see how a session is reached: another way in is told, and holds after a break too. */
  #tellWay(lease: SavedLease, session: HostSession): void {
    const { attachmentId } = lease;
    if (this.#told.get(attachmentId) === JSON.stringify(this.reachOf(session, attachmentId))) return;
    this.bind(lease, session).catch((error: unknown) =>
      this.#deps.log('delivery.unbound', { attachmentId, why: String(error) }),
    );
  }

  /** What the agent is told at the end of its turn: everything that waits, or else what it was offered and never confirmed. */
  atBoundary(attachmentId: string): Promise<string> {
    return this.#turns.take(attachmentId, async () => {
      const { journal } = this.#deps;
      const lease = journal.lease(attachmentId);
      if (lease === undefined) return '';
      this.#notified.delete(attachmentId);
      const items: readonly Item[] = journal.pending(attachmentId, AT_ONCE);
      const reminded = this.#remind(lease);
      if (items.length === 0) return reminded;
      let told = '';
      const emit = async (text: string) => {
        told = text;
        return 'accepted' as const;
      };
      const setup = await this.#preface(lease);
      const preface = [setup, reminded].filter((part) => part !== '').join('\n\n');
      await this.#release.offer(lease, items, { ...stopHook, wakes: false, emit }, preface);
      return told === '' ? reminded : told;
    });
  }

  /** What the agent reads beside a prompt of its person, once each: what it is, and what it may have missed. */
  atPrompt(attachmentId: string): Promise<string> {
    return this.#turns.take(attachmentId, async () => {
      const lease = this.#deps.journal.lease(attachmentId);
      if (lease === undefined) return '';
      const setup = await this.#preface(lease);
      if (setup !== '') this.#deps.journal.update(attachmentId, { setupDone: true });
      return [setup, this.#remind(lease)].filter((part) => part !== '').join('\n\n');
    });
  }

  /** The host showed these in a turn: the agent has them, whether it says so or not. */
  entered(attachmentId: string, messageIds: readonly string[], route: string): void {
    for (const id of messageIds) this.#entered.add(id);
    this.#deps.link.evidence(attachmentId, { kind: EvidenceKind.ENTERED_TURN, messageIds: [...messageIds], route });
  }

  #remind(lease: SavedLease): string {
    const { journal, notify, tools } = this.#deps;
    const { attachmentId, provider } = lease;
    const ids = journal.unadmitted(attachmentId);
    const missed = ids.filter((id) => !this.#entered.has(id));
    if (ids.length > 0) journal.reminded(attachmentId, ids);
    if (missed.length > 0) notify(lease, 'missed');
    const parts = [this.#untold(lease), missed.length === 0 ? '' : reminder(missed, tools(provider))];
    return parts.filter((part) => part !== '').join('\n\n');
  }

  /** Once: what this chat was promised under an attachment that has ended. */
  #untold(lease: SavedLease): string {
    const { journal } = this.#deps;
    const text = untold(journal.untold(lease));
    if (text === '') return '';
    journal.forgetUntold(lease);
    return `[AgentWorks] ${text} If it still matters, say it again.`;
  }

  /** Once nothing is under way. */
  idle(): Promise<void> {
    return this.#turns.idle();
  }
}

const pick = ({ name, maxBytes }: Route) => ({ name, maxBytes });
