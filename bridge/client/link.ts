import type { MessageInitShape } from '@bufbuild/protobuf';
import type { Client } from '@connectrpc/connect';
import type { MessageService, SendRequestSchema, SendResponse } from '#gen/agentworks/messages/v1/messages_pb.ts';

/** Carries one submission to the server and answers what became of it. How it travels is the link's business. */
export type Submit = (
  request: MessageInitShape<typeof SendRequestSchema>,
  signal: AbortSignal | undefined,
) => Promise<SendResponse>;

/** One call a message. */
export const byCall =
  (messages: Client<typeof MessageService>): Submit =>
  (request, signal) =>
    messages.send(request, signal === undefined ? {} : { signal });
