import type { DatabaseSync } from 'node:sqlite';
import { create, toBinary } from '@bufbuild/protobuf';
import type { Delivered } from '#gen/agentworks/bridge/v1/bridge_pb.ts';
import { SendRequestSchema } from '#gen/agentworks/messages/v1/messages_pb.ts';
import { Refusal } from '../client/refusal.ts';
import { crashPoint } from '../crash-point.ts';
import { isBreaking, refusalFor, spent } from './broken.ts';
import type {
  Acknowledgements,
  Item,
  Journal,
  KeptAcknowledgement,
  LeaseChange,
  NewEntry,
  Outbox,
  Parting,
  Partings,
  SavedLease,
  SessionName,
  Untold,
} from './journal.ts';
import { AcknowledgementStore } from './store/acknowledgements.ts';
import { ItemStore, newItem, states } from './store/items.ts';
import { LeaseStore } from './store/leases.ts';
import { OutboxStore } from './store/outbox.ts';
import { PartingStore } from './store/partings.ts';
import { inOne } from './store/schema.ts';
import { UntoldStore } from './store/untold.ts';

/** BRG-5. Metadata counts towards the first, bodies towards the second; the outbox has a count of its own. */
const MOST_ITEMS = 2_000;
const MOST_BYTES = 32 * 1024 * 1024;
const MOST_ENTRIES = 2_000;
const MOST_ACKNOWLEDGEMENTS = 2_000;
const BATCH = 20;
const OFFER_DAYS = 7;
const HOUR_MS = 60 * 60 * 1_000;

export interface JournalOptions {
  readonly now?: () => number;
  /** Told once, when the file can no longer be used. */
  readonly onBroken?: (refusal: Refusal) => void;
}

/** The journal as a file of SQLite. */
export class FileJournal implements Journal {
  broken: Refusal | undefined;
  readonly outbox: Outbox;
  readonly acknowledgements: Acknowledgements;
  readonly partings: Partings;
  readonly #path: string;
  readonly #db: DatabaseSync;
  readonly #leases: LeaseStore;
  readonly #items: ItemStore;
  readonly #sends: OutboxStore;
  readonly #acknowledgements: AcknowledgementStore;
  readonly #partings: PartingStore;
  readonly #untold: UntoldStore;
  readonly #now: () => number;
  readonly #onBroken: (refusal: Refusal) => void;
  #retired = 0;

  constructor(path: string, db: DatabaseSync, { now = Date.now, onBroken = () => {} }: JournalOptions) {
    this.#path = path;
    this.#db = db;
    this.#leases = new LeaseStore(db);
    this.#items = new ItemStore(db);
    this.#sends = new OutboxStore(db);
    this.#acknowledgements = new AcknowledgementStore(db);
    this.#partings = new PartingStore(db);
    this.#untold = new UntoldStore(db);
    this.#now = now;
    this.#onBroken = onBroken;
    this.outbox = {
      add: (entry) => this.#do(() => this.#keep(entry)),
      next: (limit) => this.#do(() => this.#sends.heads(limit)),
      of: (attachmentId) => this.#do(() => this.#sends.of(attachmentId)),
      done: ({ attachmentId, submissionId }) => this.#do(() => this.#sends.remove(attachmentId, submissionId)),
      count: () => this.#do(() => this.#sends.size().count),
    };
    this.acknowledgements = {
      keep: (attachmentId, acknowledgement) =>
        this.#do(() => this.#keepAcknowledgement(attachmentId, acknowledgement), 'acknowledge.kept'),
      of: (attachmentId) => this.#do(() => this.#acknowledgements.of(attachmentId)),
      told: (attachmentId, { number, messageIds, state }) =>
        this.#do(() => {
          this.#acknowledgements.remove(number);
          this.#items.acknowledge(attachmentId, messageIds, states[state]);
        }),
      waiting: () => this.#do(() => this.#acknowledgements.waiting()),
    };
    this.partings = {
      all: () => this.#do(() => this.#partings.all()),
      told: (attachmentId) => (crashPoint('detach.told'), this.#do(() => this.#partings.remove(attachmentId))),
    };
    this.#do(() => this.#items.clearCutOff());
    this.#retire();
  }

  begin(epoch: string): void {
    this.#do(() => {
      const before = this.#leases.epoch();
      if (before === epoch) return;
      if (before !== undefined) this.#leases.startAnew();
      this.#leases.setEpoch(epoch);
    });
  }

  leases(): SavedLease[] {
    return this.#do(() => this.#leases.all());
  }

  lease(attachmentId: string): SavedLease | undefined {
    return this.#do(() => this.#leases.one(attachmentId));
  }

  saveLease(lease: SavedLease): void {
    this.#do(() => {
      const kept = this.#leases.one(lease.attachmentId);
      this.#leases.put({
        ...lease,
        cursor: kept?.cursor || lease.cursor,
        childSecret: lease.childSecret || (kept?.childSecret ?? ''),
        guidanceTime: lease.guidanceTime ?? kept?.guidanceTime,
        setupDone: lease.setupDone || kept?.setupDone === true,
      });
    });
  }

  update(attachmentId: string, change: LeaseChange): void {
    this.#do(() => {
      const kept = this.#leases.one(attachmentId);
      if (kept !== undefined) this.#leases.put({ ...kept, ...change });
    });
  }

  endLease(attachmentId: string): void {
    this.#do(() => this.#end(attachmentId));
  }

  #end(attachmentId: string): void {
    this.#untold.add(attachmentId, this.#now());
    this.#leases.remove(attachmentId);
  }

  untold({ provider, sessionId }: SessionName): Untold {
    return this.#do(() => this.#untold.of(provider, sessionId));
  }

  forgetUntold({ provider, sessionId }: SessionName): void {
    this.#do(() => this.#untold.remove(provider, sessionId));
  }

  part(lease: Parting): void {
    this.#do(() => {
      this.#end(lease.attachmentId);
      this.#partings.add(lease);
    }, 'detach.kept');
  }

  rewind(attachmentId: string): void {
    this.#do(() => this.#leases.moveCursor(attachmentId, ''));
  }

  hasRoom(attachmentId: string): boolean {
    return this.#do(() => {
      this.#reclaim(attachmentId, BATCH);
      return this.#items.count(attachmentId) + BATCH <= MOST_ITEMS && this.#bytes() < MOST_BYTES * 0.9;
    });
  }

  receive(attachmentId: string, delivered: readonly Delivered[], nextCursor: string): Item[] {
    this.#retire();
    return this.#do(() => {
      // A lease that ended while this was on its way keeps nothing.
      if (this.#leases.one(attachmentId) === undefined) return [];
      const ids = delivered.map(({ message }) => message!.messageId);
      const known = this.#items.known(attachmentId, ids);
      const fresh = delivered.filter(({ message }) => !known.has(message!.messageId));
      const items = fresh.map((one) => newItem(attachmentId, one, this.#now()));
      this.#refuseBeyondBounds(attachmentId, items);
      for (const item of items) this.#items.add(item);
      this.#leases.moveCursor(attachmentId, nextCursor);
      crashPoint('journal.received');
      return fresh
        .filter(({ offeredBefore }) => !offeredBefore)
        .map(({ message, mayWake }) => ({
          attachmentId,
          messageId: message!.messageId,
          message: message!,
          mayWake,
          receivedAt: items[0]!.receivedAt,
          state: 'received',
          route: '',
        }));
    }, 'cursor.saved');
  }

  pending(attachmentId: string, limit: number): Item[] {
    return this.#do(() => this.#items.pending(attachmentId, limit));
  }

  waiting(attachmentId: string) {
    return this.#do(() => this.#items.waiting(attachmentId));
  }

  offer(attachmentId: string, messageIds: readonly string[], route: string): void {
    this.#do(() => this.#items.offer(attachmentId, messageIds, route, this.#now()), 'offer.persisted');
  }

  emitted(attachmentId: string, messageIds: readonly string[]): void {
    crashPoint('offer.emitted');
    this.#do(() => this.#items.clear(attachmentId, messageIds));
  }

  takeBack(attachmentId: string, messageIds: readonly string[]): void {
    this.#do(() => this.#items.takeBack(attachmentId, messageIds));
  }

  acknowledge(attachmentId: string, messageIds: readonly string[], state: 'admitted' | 'processed'): void {
    this.#do(() => this.#items.acknowledge(attachmentId, messageIds, states[state]));
  }

  drop(attachmentId: string, messageIds: readonly string[]): void {
    this.#do(() => this.#items.drop(attachmentId, messageIds));
  }

  unadmitted(attachmentId: string): string[] {
    return this.#do(() => this.#items.unadmitted(attachmentId));
  }

  reminded(attachmentId: string, messageIds: readonly string[]): void {
    this.#do(() => this.#items.reminded(attachmentId, messageIds));
  }

  close(): void {
    if (this.#db.isOpen) this.#db.close();
  }

  #refuseBeyondBounds(attachmentId: string, items: readonly { body: Uint8Array | null }[]): void {
    this.#reclaim(attachmentId, items.length);
    if (this.#items.count(attachmentId) + items.length > MOST_ITEMS) throw spent('messages of one session', MOST_ITEMS);
    const bytes = items.reduce((sum, { body }) => sum + (body?.length ?? 0), 0);
    if (bytes > 0 && this.#bytes() + bytes > MOST_BYTES) throw spent('bytes', MOST_BYTES);
  }

  #reclaim(attachmentId: string, coming: number): void {
    this.#items.reclaim(attachmentId, Math.max(0, this.#items.count(attachmentId) + coming - MOST_ITEMS));
  }

  #keep({ attachmentId, submissionId, request }: NewEntry): boolean {
    const bytes = toBinary(SendRequestSchema, create(SendRequestSchema, request));
    const kept = this.#sends.one(attachmentId, submissionId);
    if (kept !== undefined) {
      if (Buffer.compare(kept, bytes) === 0) return false;
      const sentence = 'This submission id waits to be sent already, with other content. Use a new one.';
      throw new Refusal('SUBMISSION_CONFLICT', sentence, { subject: submissionId });
    }
    if (this.#sends.size().count >= MOST_ENTRIES) throw spent('messages in the outbox', MOST_ENTRIES);
    if (this.#bytes() + bytes.length > MOST_BYTES) throw spent('bytes', MOST_BYTES);
    this.#sends.add(attachmentId, submissionId, bytes);
    return true;
  }

  #keepAcknowledgement(attachmentId: string, kept: Omit<KeptAcknowledgement, 'number'>): void {
    if (this.#acknowledgements.count() >= MOST_ACKNOWLEDGEMENTS)
      throw spent('acknowledgements that wait for the server', MOST_ACKNOWLEDGEMENTS);
    this.#acknowledgements.add(attachmentId, kept);
    this.#items.acknowledge(attachmentId, kept.messageIds, states[kept.state]);
  }

  #bytes(): number {
    return this.#items.bytes() + this.#sends.size().bytes;
  }

  #retire(): void {
    const now = this.#now();
    if (now - this.#retired < HOUR_MS) return;
    this.#retired = now;
    const before = now - OFFER_DAYS * 24 * HOUR_MS;
    this.#do(() => (this.#items.retire(before), this.#untold.retire(before)));
  }

  /** One act on the file, on disk when it returns. After an I/O error nothing is trusted any more. */
  #do<T>(act: () => T, then?: Parameters<typeof crashPoint>[0]): T {
    if (this.broken !== undefined) throw this.broken;
    try {
      const done = inOne(this.#db, act);
      if (then !== undefined) crashPoint(then);
      return done;
    } catch (error) {
      const refusal = refusalFor(this.#path, error);
      if (!(refusal instanceof Refusal) || !isBreaking(error)) throw refusal;
      this.broken = refusal;
      this.close();
      this.#onBroken(refusal);
      throw refusal;
    }
  }
}
