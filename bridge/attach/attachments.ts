import { AttachOrigin } from '#gen/agentworks/agents/v1/attachments_pb.ts';
import { EndReason } from '#gen/agentworks/bridge/v1/bridge_pb.ts';
import { type AgentWorks, Refusal } from '../client/index.ts';
import { isPassing } from '../client/refusal.ts';
import type { Delivery } from '../delivery/delivery.ts';
import type { Journal, Parting, SavedLease } from '../journal/journal.ts';
import type { BridgeLink } from '../link/bridge-link.ts';
import type { Log } from '../log.ts';
import type { ProcessKey } from '../sessions/process-key.ts';
import type { HostSession, Sessions } from '../sessions/session.ts';
import type { Children } from './child.ts';
import { defaultName } from './default-name.ts';
import type { Notice } from './desktop-notice.ts';
import type { Markers } from './markers.ts';
import { noticesOf } from './notices.ts';

export interface AttachmentDeps {
  readonly journal: Journal;
  readonly link: Pick<BridgeLink, 'unbind'>;
  readonly sessions: Pick<Sessions, 'watch'>;
  readonly delivery: Delivery;
  readonly children: Children;
  readonly markers: Markers;
  readonly notice: Notice;
  readonly log: Log;
  /** The person's own right, for one act. */
  readonly asPerson: <T>(act: (client: AgentWorks) => Promise<T>) => Promise<T>;
  readonly computer: string;
  /** What is attached, or how, is another now. */
  readonly onChange: () => void;
}

export interface Wanted {
  readonly session: HostSession;
  /** Empty: the name it has, or a short one of its own. */
  readonly agentName: string;
  readonly origin: SavedLease['origin'];
  readonly purpose?: string | undefined;
  /** Why the host would hold what is pushed; empty when it would not, or does not tell. */
  readonly hold?: string | undefined;
}

export interface Attached {
  readonly lease: SavedLease;
  readonly notices: readonly string[];
}

/** A person waits for it. */
const DETACH_MS = 5_000;

/** The sessions that are attached on this computer: how they come, how they go, and how they are found again. */
export class Attachments {
  readonly #deps: AttachmentDeps;
  readonly #watches = new Map<string, () => void>();

  constructor(deps: AttachmentDeps) {
    this.#deps = deps;
  }

  /** The lease of this very session. */
  of(session: HostSession): SavedLease | undefined {
    return this.each([session])[0]?.lease;
  }

  /** The leases of these sessions, by one look at the journal. */
  each(sessions: readonly HostSession[]): { readonly session: HostSession; readonly lease: SavedLease | undefined }[] {
    const leases = new Map(this.#deps.journal.leases().map((lease) => [keyOf(lease), lease]));
    return sessions.map((session) => ({ session, lease: leases.get(keyOf(session)) }));
  }

  /** A chat that is not attached asks no more. */
  quiet(sessionId: string): void {
    this.#deps.markers.clear(sessionId);
  }

  /** What this chat was attached as: in an earlier process, or under the id it had before it was cleared. */
  before({ provider, sessionId, process }: HostSession): SavedLease | undefined {
    const leases = this.#deps.journal.leases().filter((lease) => lease.provider === provider);
    return (
      leases.find((lease) => lease.sessionId === sessionId) ??
      leases.find((lease) => isSameProcess(lease.process, process))
    );
  }

  /** Attaches a session (ATT-1). Again from the same session: the same lease, with the process it has now (ATT-6). */
  async attach(wanted: Wanted): Promise<Attached> {
    const { journal, delivery, markers, log } = this.#deps;
    const { session, origin } = wanted;
    const name =
      wanted.agentName || (this.before(session)?.agentName ?? defaultName(session.provider, session.sessionId));
    const answer = await this.#deps.asPerson((client) => this.#take(client, wanted, name));
    const { attachmentId, agentId, agentName } = answer.attachment!;
    const before = journal.lease(attachmentId);
    for (const other of journal.leases())
      if (other.attachmentId !== attachmentId && (other.agentId === agentId || isOf(other, session)))
        this.#forget(other);
    journal.begin(answer.epoch);
    const lease: SavedLease = {
      attachmentId,
      agentId,
      agentName,
      provider: session.provider,
      sessionId: session.sessionId,
      process: session.process,
      childSecret: answer.childSecret || (before?.childSecret ?? ''),
      folder: session.folder,
      origin,
      cursor: answer.startCursor,
      guidanceTime: before?.guidanceTime,
      setupDone: before?.setupDone ?? false,
      title: session.title,
    };
    journal.saveLease(lease);
    markers.set(session.sessionId);
    this.#watch(lease, session);
    if (wanted.hold !== undefined) delivery.hold(attachmentId, wanted.hold);
    const way = await delivery.bind(lease, session);
    delivery.revive(attachmentId);
    log('attachment.attached', {
      attachmentId,
      agentName,
      origin,
      sessionId: session.sessionId,
      pid: session.process.pid,
    });
    this.#deps.onChange();
    this.#deps.notice('AgentWorks', `A ${session.provider} chat is attached as ${agentName}.`);
    return { lease, notices: noticesOf(way) };
  }

  async #take(client: AgentWorks, wanted: Wanted, agentName: string) {
    const { session, origin, purpose } = wanted;
    const { pid, startTime, bootId } = session.process;
    const request = {
      agentName,
      provider: session.provider,
      sessionId: session.sessionId,
      process: { pid: BigInt(pid), startTime, bootId },
      origin: origins[origin],
      folder: cut(session.folder, 1_024),
      computer: this.#deps.computer,
      ...(purpose === undefined ? {} : { purpose }),
    };
    const answer = await client.attachments.attach(request);
    const { attachmentId } = answer.attachment!;
    if (answer.childSecret !== '' || this.#deps.journal.lease(attachmentId) !== undefined) return answer;
    // The lease is there and its secret is not: this computer's journal was lost. A new lease has a new one.
    await client.attachments.detach({ attachmentId });
    return client.attachments.attach(request);
  }

  /**
   * Detaches: the name stays and shows offline, its child connection is revoked (ATT-8). Here it ends at once and is
   * remembered; the server hears of it now, or else when it is back.
   */
  async detach({ attachmentId, agentName }: Pick<SavedLease, 'attachmentId' | 'agentName'>): Promise<'told' | 'kept'> {
    const { journal, log } = this.#deps;
    const lease = journal.lease(attachmentId);
    journal.part({ attachmentId, agentName });
    if (lease !== undefined) this.#forget(lease);
    log('attachment.detached', { attachmentId, agentName });
    return (await this.#tellParting({ attachmentId, agentName })) ? 'told' : 'kept';
  }

  /** The server can be reached: it hears of what ended here while it was away. */
  tellPartings(): void {
    for (const parting of this.#deps.journal.partings.all())
      void this.#tellParting(parting).catch((error: unknown) =>
        this.#deps.log('detach.refused', { ...parting, why: String(error) }),
      );
  }

  /** False when it has to wait. Throws what the server had against it, which it would have again. */
  async #tellParting({ attachmentId, agentName }: Parting): Promise<boolean> {
    const { asPerson, journal, log } = this.#deps;
    try {
      await asPerson((client) => client.attachments.detach({ attachmentId }, { timeoutMs: DETACH_MS }));
    } catch (error) {
      if (!(error instanceof Refusal) || isPassing(error)) {
        log('detach.kept', { attachmentId, agentName, why: String(error) });
        return false;
      }
      journal.partings.told(attachmentId);
      if (error.reason !== 'LEASE_ENDED') throw error;
    }
    journal.partings.told(attachmentId);
    return true;
  }

  /** After a start: takes up again what was attached and still runs, and nothing else (BRG-8, ATT-12). */
  restore(): void {
    const { journal, markers, delivery } = this.#deps;
    const live = journal.leases().flatMap((lease) => {
      const session = delivery.sessionOf(lease);
      return session === undefined ? [] : [{ lease, session }];
    });
    const kept = new Set(journal.leases().map(({ sessionId }) => sessionId));
    for (const sessionId of markers.mine) if (!kept.has(sessionId)) markers.clear(sessionId);
    for (const { lease, session } of live) this.#back(lease, session);
  }

  async #takeUp(lease: SavedLease, session: HostSession): Promise<void> {
    const { markers, delivery } = this.#deps;
    markers.set(lease.sessionId);
    this.#watch(lease, session);
    await delivery.bind(lease, session);
    delivery.nudge(lease.attachmentId);
  }

  /**
   * The session ended or became another: the name shows offline, and nothing is offered until it is back (ATT-8). Its
   * marker stays, so that the chat, when it is resumed, asks once how to be attached again.
   */
  rest(lease: SavedLease): void {
    this.#deps.log('attachment.resting', { attachmentId: lease.attachmentId, agentName: lease.agentName });
    this.#deps.link.unbind(lease.attachmentId);
    this.#deps.onChange();
  }

  #watch(lease: SavedLease, session: HostSession): void {
    const { attachmentId, sessionId } = lease;
    this.#watches.get(attachmentId)?.();
    let isHere = true;
    const stop = this.#deps.sessions.watch(session, (now) => {
      const wasHere = isHere;
      isHere = now?.sessionId === sessionId;
      const kept = this.#deps.journal.lease(attachmentId);
      if (kept === undefined) return;
      if (wasHere && !isHere) this.rest(kept);
      else if (!wasHere && isHere && now !== undefined) this.#back(kept, now);
      else if (isHere) this.#deps.delivery.nudge(attachmentId);
    });
    this.#watches.set(attachmentId, stop);
  }

  #back(lease: SavedLease, session: HostSession): void {
    const { attachmentId } = lease;
    this.#takeUp(lease, session).catch((error: unknown) =>
      this.#deps.log('attachment.unbound', { attachmentId, why: String(error) }),
    );
  }

  /** The server says that a lease is over. */
  ended(attachmentId: string, reason: EndReason): void {
    const lease = this.#deps.journal.lease(attachmentId);
    if (lease === undefined) return;
    this.#deps.log('attachment.ended', { attachmentId, agentName: lease.agentName, reason });
    // Another bridge carries it now; the lease itself lives.
    if (reason !== EndReason.TAKEN_UP_ELSEWHERE) this.#forget(lease);
  }

  #forget({ attachmentId, sessionId }: SavedLease): void {
    const { journal, children, delivery, link, markers } = this.#deps;
    this.#watches.get(attachmentId)?.();
    this.#watches.delete(attachmentId);
    journal.endLease(attachmentId);
    delivery.forget(attachmentId);
    children.forget(attachmentId);
    markers.clear(sessionId);
    link.unbind(attachmentId);
    this.#deps.onChange();
  }

  close(): void {
    for (const stop of this.#watches.values()) stop();
    this.#watches.clear();
  }
}

const isSameProcess = (one: ProcessKey, other: ProcessKey): boolean =>
  one.pid === other.pid && one.startTime === other.startTime && one.bootId === other.bootId;

const keyOf = ({ provider, sessionId, process }: Pick<SavedLease, 'provider' | 'sessionId' | 'process'>): string =>
  JSON.stringify([provider, sessionId, process.pid, process.startTime, process.bootId]);

const isOf = (lease: SavedLease, { provider, sessionId }: HostSession): boolean =>
  lease.provider === provider && lease.sessionId === sessionId;

const origins = {
  chat: AttachOrigin.CHAT,
  terminal: AttachOrigin.TERMINAL,
  own: AttachOrigin.OWN,
} as const satisfies Record<SavedLease['origin'], AttachOrigin>;

/** The first so many bytes, cut between characters. */
function cut(text: string, bytes: number): string {
  let left = bytes;
  return Array.from(text)
    .filter((character) => (left -= Buffer.byteLength(character)) >= 0)
    .join('');
}
