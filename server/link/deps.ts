import type { MessageInitShape } from '@bufbuild/protobuf';
import type { AcknowledgeResponseSchema, ClaimOfferResponseSchema } from '#gen/agentworks/agents/v1/attachments_pb.ts';
import type { AcknowledgeRequest, ClaimOfferRequest } from '#gen/agentworks/agents/v1/attachments_pb.ts';
import type { HostEvidence } from '#gen/agentworks/bridge/v1/bridge_pb.ts';
import type { ProblemSchema } from '#gen/agentworks/common/v1/problem_pb.ts';
import type { SendRequest, SendResponseSchema } from '#gen/agentworks/messages/v1/messages_pb.ts';
import type { Caller, Known } from '../access/callers.ts';
import type { Clock } from '../core/clock.ts';
import type { Database } from '../core/database.ts';
import type { Endings } from '../core/endings.ts';
import type { Hub } from '../core/hub.ts';
import type { Log } from '../core/log.ts';
import type { Notifier } from '../core/notifier.ts';
import type { InTurn } from '../messages/send.ts';
import type { ReadDeps } from '../messages/read.ts';

export type Child = Extract<Caller, { kind: 'child' }>;
/** Who opens a link: a person's bridge, or a program. */
export type Holder = Extract<Caller, { kind: 'person' | 'connection' }>;

/** What a link needs of the rest of the server: verbs of the other rooms, handed over in compose.ts. */
export interface LinkDeps extends ReadDeps {
  readonly orm: Database;
  readonly hub: Hub;
  readonly endings: Endings;
  readonly notifier: Notifier;
  readonly clock: Clock;
  readonly log: Log;
  readonly epoch: string;
  readonly nodeId: string;
  readonly version: string;
  resolveSecret(secret: string): Promise<Caller>;
  send(caller: Known, request: SendRequest, inTurn: InTurn): Promise<MessageInitShape<typeof SendResponseSchema>>;
  claimOffer(caller: Known, request: ClaimOfferRequest): Promise<MessageInitShape<typeof ClaimOfferResponseSchema>>;
  acknowledge(caller: Known, request: AcknowledgeRequest): Promise<MessageInitShape<typeof AcknowledgeResponseSchema>>;
  evidence(caller: Known, shown: HostEvidence): Promise<void>;
  /** The refusal as it travels, whatever was thrown; logs what is a bug. */
  refusal(error: unknown, rpc: string): MessageInitShape<typeof ProblemSchema>;
}
