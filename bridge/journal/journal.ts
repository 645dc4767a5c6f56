import type { MessageInitShape } from '@bufbuild/protobuf';
import type { Delivered } from '#gen/agentworks/bridge/v1/bridge_pb.ts';
import type { Message, SendRequest, SendRequestSchema } from '#gen/agentworks/messages/v1/messages_pb.ts';
import type { Refusal } from '../client/refusal.ts';

/** A session that the person attached, as it must be known again after a crash. */
export interface SavedLease {
  readonly attachmentId: string;
  readonly agentId: string;
  readonly agentName: string;
  readonly provider: string;
  readonly sessionId: string;
  readonly process: { readonly pid: number; readonly startTime: string; readonly bootId: string };
  readonly childSecret: string;
  readonly folder: string;
  readonly origin: 'chat' | 'terminal' | 'own';
  /** Bind from here. Only what is received moves it. */
  readonly cursor: string;
  /** When the agent was last told how all this works. */
  readonly guidanceTime?: number | undefined;
  readonly setupDone: boolean;
  readonly title: string;
}

export type LeaseChange = Partial<Omit<SavedLease, 'attachmentId' | 'cursor'>>;

type ItemState = 'received' | 'offered' | 'admitted' | 'processed';

/** A message that waits to be offered. */
export interface Item {
  readonly attachmentId: string;
  readonly messageId: string;
  readonly message: Message;
  readonly mayWake: boolean;
  readonly receivedAt: number;
  readonly state: ItemState;
  readonly route: string;
}

/** How much waits for a session: when the oldest and the newest of it were sent. */
export interface Waiting {
  readonly count: number;
  readonly oldest?: number;
  readonly newest?: number;
}

/** A message that an agent sent and the server has not answered. Its submission id is its sender's own. */
export interface Entry {
  readonly attachmentId: string;
  readonly submissionId: string;
  readonly request: SendRequest;
}

export interface NewEntry extends Omit<Entry, 'request'> {
  readonly request: MessageInitShape<typeof SendRequestSchema>;
}

export interface Outbox {
  /** Keeps it; false when this very entry is kept already. */
  add(entry: NewEntry): boolean;
  /** The oldest of each sender, oldest first: what may go now without overtaking anything. */
  next(limit: number): Entry[];
  /** All of one sender's, oldest first. */
  of(attachmentId: string): Entry[];
  done(entry: Pick<Entry, 'attachmentId' | 'submissionId'>): void;
  count(): number;
}

/** An acknowledgement that the server has not heard: the receiving agent's own word. */
export interface KeptAcknowledgement {
  readonly number: number;
  readonly messageIds: readonly string[];
  readonly state: 'admitted' | 'processed';
}

export interface Acknowledgements {
  /** Keeps it behind those of before. What it is about is not offered, and nobody is reminded of it. */
  keep(attachmentId: string, acknowledgement: Omit<KeptAcknowledgement, 'number'>): void;
  /** Oldest first. */
  of(attachmentId: string): KeptAcknowledgement[];
  /** The server has it. */
  told(attachmentId: string, kept: KeptAcknowledgement): void;
  /** The leases that keep any. */
  waiting(): string[];
}

/** What a session was promised, and could not be told to the server before its lease ended. */
export interface Untold {
  /** Acknowledged by the agent; the senders do not see it. */
  readonly messageIds: readonly string[];
  /** Not sent. */
  readonly submissionIds: readonly string[];
}

export type SessionName = Pick<SavedLease, 'provider' | 'sessionId'>;

/** A lease that ended here, and the server has not heard of it. */
export interface Parting {
  readonly attachmentId: string;
  readonly agentName: string;
}

export interface Partings {
  all(): Parting[];
  told(attachmentId: string): void;
}

/**
 * What a bridge must know after a crash. Every change is on disk when the call returns. A message is never offered again
 * by itself (BRG-4): an offer is written down before it is emitted, and one that a crash cut off stays an offer.
 */
export interface Journal {
  /** Why the file is no longer used; an I/O error is never retried. */
  readonly broken: Refusal | undefined;
  /** The database that is spoken to. Another one than before starts every cursor anew. */
  begin(epoch: string): void;

  leases(): SavedLease[];
  lease(attachmentId: string): SavedLease | undefined;
  /** Keeps a lease. Of one that is kept already the cursor stays, and the secret and guidance unless they are new. */
  saveLease(lease: SavedLease): void;
  update(attachmentId: string, change: LeaseChange): void;
  /** Forgets a lease with everything of it; what it was promised becomes untold. */
  endLease(attachmentId: string): void;
  /** The same, and remembers to tell the server. */
  part(lease: Parting): void;
  untold(session: SessionName): Untold;
  /** The agent has read it. */
  forgetUntold(session: SessionName): void;
  /** The cursor was refused: read again from the lease's start. Known ids are still suppressed (BRG-3a). */
  rewind(attachmentId: string): void;

  /** Whether a batch would be taken (BRG-5). */
  hasRoom(attachmentId: string): boolean;
  /** Stores what is new, together with the cursor, and answers it. Throws STORAGE_FULL, and stores nothing, at a bound. */
  receive(attachmentId: string, delivered: readonly Delivered[], nextCursor: string): Item[];
  /** Oldest first. */
  pending(attachmentId: string, limit: number): Item[];
  waiting(attachmentId: string): Waiting;
  /** Before anything is emitted. */
  offer(attachmentId: string, messageIds: readonly string[], route: string): void;
  /** The body is cleared. */
  emitted(attachmentId: string, messageIds: readonly string[]): void;
  /** Definitely not delivered: pending again. What was emitted stays offered. */
  takeBack(attachmentId: string, messageIds: readonly string[]): void;
  /** States only move forward. The body is cleared. */
  acknowledge(attachmentId: string, messageIds: readonly string[], state: 'admitted' | 'processed'): void;
  /** Keeps nothing of them. */
  drop(attachmentId: string, messageIds: readonly string[]): void;
  /** Offered, never admitted, and nobody was reminded (RCP-6). */
  unadmitted(attachmentId: string): string[];
  reminded(attachmentId: string, messageIds: readonly string[]): void;

  readonly outbox: Outbox;
  readonly acknowledgements: Acknowledgements;
  readonly partings: Partings;
  close(): void;
}
