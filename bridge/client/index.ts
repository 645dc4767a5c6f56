import type { MessageInitShape } from '@bufbuild/protobuf';
import { type Client, createClient } from '@connectrpc/connect';
import { AccessService } from '#gen/agentworks/access/v1/access_pb.ts';
import { AgentService, type WatchDirectoryResponse } from '#gen/agentworks/agents/v1/agents_pb.ts';
import { AttachmentService } from '#gen/agentworks/agents/v1/attachments_pb.ts';
import {
  MessageService,
  type SendRequestSchema,
  type SendResponse,
  type WatchInboxResponse,
  type WatchMailboxResponse,
} from '#gen/agentworks/messages/v1/messages_pb.ts';
import { byCall, Link, type LinkOptions } from './link.ts';
import { send, type SendOptions } from './send.ts';
import { type Destination, openTransport } from './transport.ts';
import { lasting, type LastingOptions, watch, type WatchOptions } from './watch.ts';

export { type Connection, ConnectionKind } from '#gen/agentworks/access/v1/access_pb.ts';
export { type Agent, Presence } from '#gen/agentworks/agents/v1/agents_pb.ts';
export { AttachOrigin, type Attachment } from '#gen/agentworks/agents/v1/attachments_pb.ts';
export {
  type Message,
  type Receipt,
  ReceiptEventKind,
  ReceiptState,
  type Recipient,
  StandingReason,
  Wake,
} from '#gen/agentworks/messages/v1/messages_pb.ts';
export { type ReasonName, Refusal } from './refusal.ts';
export type { Link, LinkOptions } from './link.ts';
export type { SendOptions } from './send.ts';
export type { Destination } from './transport.ts';
export type { Batch, LastingOptions, WatchOptions } from './watch.ts';

/** A connection to a server. Every failure of every call is a Refusal. */
export interface AgentWorks {
  readonly messages: Client<typeof MessageService>;
  readonly agents: Client<typeof AgentService>;
  readonly access: Client<typeof AccessService>;
  readonly attachments: Client<typeof AttachmentService>;
  /** Sends once and keeps trying while the server is away; without a submission id it makes one. */
  send(input: MessageInitShape<typeof SendRequestSchema>, options?: SendOptions): Promise<SendResponse>;
  /** Opens the one stream on which a busy sender sends; it outlives every break. */
  openLink(options?: LinkOptions): Link;
  /** Follows an agent's mailbox across every break. An empty batch says that the watch (re)began. */
  watchMailbox(agentName: string, options?: WatchOptions): AsyncIterable<WatchMailboxResponse>;
  /** Follows one side of one conversation, likewise. */
  watchInbox(inboxId: string, options?: WatchOptions): AsyncIterable<WatchInboxResponse>;
  /** Follows the directory. The first response, and the first after a break, is the whole of it. */
  watchDirectory(options?: LastingOptions): AsyncIterable<WatchDirectoryResponse>;
  /** Ends every call. */
  readonly close: () => void;
}

/** Connects when the first call is made. */
export function connect(destination: Destination): AgentWorks {
  const { transport, close } = openTransport(destination);
  const messages = createClient(MessageService, transport);
  const agents = createClient(AgentService, transport);
  return {
    messages,
    agents,
    access: createClient(AccessService, transport),
    attachments: createClient(AttachmentService, transport),
    send: (input, options) => send(byCall(messages), input, options),
    openLink: (options) => new Link(transport, options),
    watchMailbox: (agentName, options) =>
      watch(
        (after, signal) =>
          messages.watchMailbox({ agentName, after, attachmentId: options?.attachmentId ?? '' }, { signal }),
        options,
      ),
    watchInbox: (inboxId, options) =>
      watch(
        (after, signal) =>
          messages.watchInbox({ inboxId, after, attachmentId: options?.attachmentId ?? '' }, { signal }),
        options,
      ),
    watchDirectory: (options) => lasting((_last, signal) => agents.watchDirectory({}, { signal }), options),
    close,
  };
}
