import type { MessageInitShape } from '@bufbuild/protobuf';
import type { AcknowledgeResponse, ClaimedOffer } from '#gen/agentworks/agents/v1/attachments_pb.ts';
import type { EndReason, Hello, HostEvidenceSchema } from '#gen/agentworks/bridge/v1/bridge_pb.ts';
import type { SendRequestSchema, SendResponse } from '#gen/agentworks/messages/v1/messages_pb.ts';
import type { Refusal } from '../client/refusal.ts';
import type { OpenTransport } from '../client/transport.ts';
import type { Entry, Journal, KeptAcknowledgement, SavedLease } from '../journal/journal.ts';

/** How a session is reached, as its peers will see it. */
export interface Way {
  readonly route: string;
  readonly wakes: boolean;
  /** Why it is not better; empty when it is the best. */
  readonly routeDetail: string;
}

/** What a host showed of a bound lease's session. */
export type Shown = Omit<MessageInitShape<typeof HostEvidenceSchema>, '$typeName' | 'attachmentId'>;

export interface LinkDeps {
  /** Opens one connection with the person's sign-in. Asked anew after each break: the server may have moved. */
  readonly open: () => Promise<OpenTransport>;
  readonly journal: Journal;
  readonly hello: Pick<Hello, 'version' | 'bootId' | 'computer'>;
  /** Something waits, or may be released again since the link is back. */
  readonly onPending: (attachmentId: string) => void;
  /** The lease ended. The journal forgets it when this returns, unless another link has it now. */
  readonly onEnded: (attachmentId: string, reason: EndReason) => void;
  /** What was kept for later was refused in the end, and whoever sent it is not waiting any more. */
  readonly onRefused?: (entry: Entry, refusal: Refusal) => void;
  /** An acknowledgement that was kept for later was refused in the end. */
  readonly onUntold?: (attachmentId: string, kept: KeptAcknowledgement, refusal: Refusal) => void;
  /** `connected`, `problem` or `serverVersion` changed. */
  readonly onChange?: () => void;
}

/** The one stream of this computer's bridge. It outlives every break, until the right to it ends. */
export interface BridgeLink {
  readonly connected: boolean;
  /** Why it is not connected, in one sentence. */
  readonly problem: string;
  /** Empty until a server was reached. */
  readonly serverVersion: string;
  /**
   * Takes a lease of the journal up, now and after every break, from its saved cursor. Resolves when the server has
   * bound it, or at once while the server is away; rejects when the server refuses. Again for another way in.
   */
  bind(lease: Pick<SavedLease, 'attachmentId'>, way: Way): Promise<void>;
  /** Lets it go without ending it: it shows offline. */
  unbind(attachmentId: string): void;
  /** Asks for leave to emit. Rejects when there is no answer: then nothing may be emitted. */
  claim(attachmentId: string, messageIds: readonly string[], route: string, wakes: boolean): Promise<ClaimedOffer[]>;
  /** The agent's own word, told to the server and then written down; `kept` on disk when it must wait for the server. */
  acknowledge(
    attachmentId: string,
    messageIds: readonly string[],
    state: 'admitted' | 'processed',
  ): Promise<AcknowledgeResponse | 'kept'>;
  /** Kept until the lease is bound, in memory only. */
  evidence(attachmentId: string, shown: Shown): void;
  /** Keeps it on disk, sends it after everything this session sent before, and answers; `queued` when it must wait. */
  send(attachmentId: string, request: MessageInitShape<typeof SendRequestSchema>): Promise<SendResponse | 'queued'>;
  close(): Promise<void>;
}
