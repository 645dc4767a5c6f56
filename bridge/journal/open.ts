import type { DatabaseSync } from 'node:sqlite';
import { create, toBinary } from '@bufbuild/protobuf';
import { timestampMs } from '@bufbuild/protobuf/wkt';
import type { Delivered } from '#gen/agentworks/bridge/v1/bridge_pb.ts';
import { MessageSchema, SendRequestSchema } from '#gen/agentworks/messages/v1/messages_pb.ts';
import { Refusal } from '../client/refusal.ts';
import { crashPoint } from '../crash-point.ts';
import { isBreaking, refusalFor, spent } from './broken.ts';
import { checkBeside, claimFile } from './file.ts';
import type { Item, Journal, LeaseChange, NewEntry, Outbox, SavedLease } from './journal.ts';
import { ItemStore, states } from './store/items.ts';
import { LeaseStore } from './store/leases.ts';
import { OutboxStore } from './store/outbox.ts';
import { inOne, openFile } from './store/schema.ts';

/** BRG-5. Metadata counts towards the first, bodies towards the second; the outbox has a count of its own. */
const MOST_ITEMS = 2_000;
const MOST_BYTES = 32 * 1024 * 1024;
const MOST_ENTRIES = 2_000;
const BATCH = 20;
const OFFER_DAYS = 7;
const DAY_MS = 24 * 60 * 60 * 1_000;

export interface JournalOptions {
  readonly now?: () => number;
  /** Told once, when the file can no longer be used. */
  readonly onBroken?: (refusal: Refusal) => void;
}

/** Opens the journal, or makes it. Refuses a file that anybody else could have written or could read. */
export function openJournal(path: string, options: JournalOptions = {}): Journal {
  claimFile(path);
  checkBeside(path);
  let db;
  try {
    db = openFile(path);
  } catch (error) {
    throw refusalFor(path, error);
  }
  if (db === undefined)
    throw new Refusal('VERSION_MISMATCH', `${path} was written by a newer AgentWorks. Update this one.`, {
      subject: path,
    });
  return new FileJournal(path, db, options);
}

class FileJournal implements Journal {
  broken: Refusal | undefined;
  readonly outbox: Outbox;
  readonly #path: string;
  readonly #db: DatabaseSync;
  readonly #leases: LeaseStore;
  readonly #items: ItemStore;
  readonly #sends: OutboxStore;
  readonly #now: () => number;
  readonly #onBroken: (refusal: Refusal) => void;
  #retired = 0;

  constructor(path: string, db: DatabaseSync, { now = Date.now, onBroken = () => {} }: JournalOptions) {
    this.#path = path;
    this.#db = db;
    this.#leases = new LeaseStore(db);
    this.#items = new ItemStore(db);
    this.#sends = new OutboxStore(db);
    this.#now = now;
    this.#onBroken = onBroken;
    this.outbox = {
      add: (entry) => this.#do(() => this.#keep(entry)),
      next: (limit) => this.#do(() => this.#sends.heads(limit)),
      of: (attachmentId) => this.#do(() => this.#sends.of(attachmentId)),
      done: ({ attachmentId, submissionId }) => this.#do(() => this.#sends.remove(attachmentId, submissionId)),
      count: () => this.#do(() => this.#sends.size().count),
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
    this.#do(() => this.#leases.remove(attachmentId));
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
      const items = fresh.map((one) => this.#written(attachmentId, one));
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

  #written(attachmentId: string, { message, mayWake, offeredBefore }: Delivered) {
    const now = this.#now();
    return {
      attachmentId,
      messageId: message!.messageId,
      state: offeredBefore ? states.offered : states.received,
      body: offeredBefore ? null : toBinary(MessageSchema, message!),
      mayWake,
      sentAt: message!.createTime === undefined ? now : timestampMs(message!.createTime),
      receivedAt: now,
    };
  }

  #refuseBeyondBounds(attachmentId: string, items: readonly { body: Uint8Array | null }[]): void {
    this.#reclaim(attachmentId, items.length);
    if (this.#items.count(attachmentId) + items.length > MOST_ITEMS) throw spent('messages of one session', MOST_ITEMS);
    const bytes = items.reduce((sum, { body }) => sum + (body?.length ?? 0), 0);
    if (bytes > 0 && this.#bytes() + bytes > MOST_BYTES) throw spent('bytes', MOST_BYTES);
  }

  #reclaim(attachmentId: string, coming: number): void {
    const over = this.#items.count(attachmentId) + coming - MOST_ITEMS;
    if (over > 0) this.#items.reclaim(attachmentId, over);
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

  #bytes(): number {
    return this.#items.bytes() + this.#sends.size().bytes;
  }

  #retire(): void {
    const now = this.#now();
    if (now - this.#retired < DAY_MS / 24) return;
    this.#retired = now;
    this.#do(() => this.#items.retire(now - OFFER_DAYS * DAY_MS));
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
