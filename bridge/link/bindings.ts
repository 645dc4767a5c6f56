import type { MessageInitShape } from '@bufbuild/protobuf';
import { type BoundLease, EndReason, type LeaseBindingSchema } from '#gen/agentworks/bridge/v1/bridge_pb.ts';
import { refused, Refusal } from '../client/refusal.ts';
import type { Journal } from '../journal/journal.ts';
import type { Way } from './bridge-link.ts';

/** The server takes so many a frame. */
const MOST_IN_FRAME = 200;

type Binding = MessageInitShape<typeof LeaseBindingSchema>;

interface BindingDeps {
  readonly journal: Journal;
  /** Nothing happens while the link is down. */
  readonly put: (leases: Binding[]) => void;
  readonly onBound: (attachmentId: string) => void;
  readonly onEnded: (attachmentId: string, reason: EndReason) => void;
}

/** Which leases this link is to carry, and which of them it carries now. */
export class Bindings {
  readonly #deps: BindingDeps;
  readonly #wanted = new Map<string, Way>();
  readonly #bound = new Set<string>();
  readonly #paused = new Set<string>();
  readonly #asked = new Map<string, PromiseWithResolvers<void>>();

  constructor(deps: BindingDeps) {
    this.#deps = deps;
  }

  want(attachmentId: string, way: Way): void {
    this.#wanted.set(attachmentId, way);
  }

  isWanted(attachmentId: string): boolean {
    return this.#wanted.has(attachmentId);
  }

  isBound(attachmentId: string): boolean {
    return this.#bound.has(attachmentId);
  }

  /** Resolves when the server has bound it. */
  async bind(attachmentId: string): Promise<void> {
    const waiting = this.#asked.get(attachmentId) ?? Promise.withResolvers<void>();
    // Whoever asks for several does not wait for each.
    waiting.promise.catch(() => {});
    this.#asked.set(attachmentId, waiting);
    this.#put([attachmentId]);
    return waiting.promise;
  }

  /** On a new link: all of them, each from where it was saved. */
  bindAll(): void {
    this.#put([...this.#wanted.keys()]);
  }

  #put(attachmentIds: readonly string[]): void {
    const bindings = attachmentIds.flatMap((attachmentId) => {
      const lease = this.#deps.journal.lease(attachmentId);
      const way = this.#wanted.get(attachmentId);
      if (lease === undefined || way === undefined) {
        this.#settle(attachmentId, ended());
        return [];
      }
      return [{ attachmentId, childSecret: lease.childSecret, after: lease.cursor, ...way }];
    });
    for (let from = 0; from < bindings.length; from += MOST_IN_FRAME)
      this.#deps.put(bindings.slice(from, from + MOST_IN_FRAME));
  }

  heard({ attachmentId, problem }: BoundLease): void {
    if (problem === undefined) {
      // It may have been let go meanwhile; the server hears of that after this.
      if (!this.#wanted.has(attachmentId)) return;
      this.#bound.add(attachmentId);
      this.#paused.delete(attachmentId);
      this.#settle(attachmentId);
      this.#deps.onBound(attachmentId);
      return;
    }
    const refusal = refused(problem);
    switch (refusal.reason) {
      case 'LEASE_ENDED':
        this.#deps.onEnded(attachmentId, EndReason.UNSPECIFIED);
        break;
      case 'SIGNED_OUT':
        this.#deps.onEnded(attachmentId, EndReason.REVOKED);
        break;
      case 'BAD_CURSOR':
        // A gap means to read again, never to acknowledge (BRG-3a).
        if ((this.#deps.journal.lease(attachmentId)?.cursor ?? '') !== '') {
          this.#deps.journal.rewind(attachmentId);
          this.#put([attachmentId]);
          break;
        }
        this.#settle(attachmentId, refusal);
        break;
      default:
        // Asked again on the next link.
        this.#settle(attachmentId, refusal);
    }
  }

  /**
   * The journal cannot take more of this lease for now. What comes all the same is passed over, until the server has
   * bound it again from the saved cursor: taking a later batch would leave a gap.
   */
  pause(attachmentId: string): void {
    this.#paused.add(attachmentId);
  }

  isPaused(attachmentId: string): boolean {
    return this.#paused.has(attachmentId);
  }

  /** Those that have room again go on from where they were saved. */
  resume(): void {
    this.#put([...this.#paused].filter((id) => this.#wanted.has(id) && this.#deps.journal.hasRoom(id)));
  }

  drop(attachmentId: string, refusal = ended()): void {
    this.#wanted.delete(attachmentId);
    this.#bound.delete(attachmentId);
    this.#paused.delete(attachmentId);
    this.#settle(attachmentId, refusal);
  }

  /** The link broke. Whoever waits for a binding gets it on the next one, and is not kept until then. */
  unbindAll(): void {
    this.#bound.clear();
    this.#paused.clear();
    for (const attachmentId of this.#asked.keys()) this.#settle(attachmentId);
  }

  #settle(attachmentId: string, refusal?: Refusal): void {
    const waiting = this.#asked.get(attachmentId);
    this.#asked.delete(attachmentId);
    if (refusal === undefined) waiting?.resolve();
    else waiting?.reject(refusal);
  }
}

export const ended = (): Refusal =>
  new Refusal('LEASE_ENDED', 'This session is not attached any more. The person attaches it again.', {
    subject: 'attachment_id',
  });
