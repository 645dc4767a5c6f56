import { type SendResponse, SendResponseSchema } from '#gen/agentworks/bridge/v1/local_pb.ts';
import { type Context } from '../../../command.ts';
import { text, turnOn } from '../../../options.ts';
import { bodyOf, objectIn, saidOptions } from '../../messages/said.ts';
import { sentTable, wakeSentence } from '../../messages/sent-table.ts';
import { askBridge, providerOption } from './ask-bridge.ts';

/** What beginning a conversation and answering in one have in common. */
export const sendingOptions = {
  ...providerOption,
  ...saidOptions,
  contentType: text('TYPE', 'text/plain, text/markdown or application/json'),
  metadata: text('JSON', 'An object beside the text'),
  noWake: turnOn('Store it and wake nobody'),
  submissionId: text('ID', 'Makes a repeat of this command safe'),
} as const;

interface Sending {
  readonly provider: string;
  readonly message: string | undefined;
  readonly input: string | undefined;
  readonly contentType: string | undefined;
  readonly metadata: string | undefined;
  readonly noWake: boolean;
  readonly submissionId: string | undefined;
}

export async function sendByBridge(
  context: Context,
  given: Sending,
  operand: string | undefined,
  to: { readonly target?: string; readonly inboxId?: string; readonly inReplyTo?: string },
): Promise<void> {
  const request = {
    ...to,
    body: await bodyOf(context.io, given, operand),
    contentType: given.contentType ?? '',
    ...(given.metadata === undefined ? {} : { metadata: objectIn(given.metadata) }),
    noWake: given.noWake,
    submissionId: given.submissionId ?? '',
  };
  const answer = await askBridge(context, given.provider, (local, asker) => local.send({ asker, request }));
  say(context, answer);
}

function say({ face }: Context, answer: SendResponse): void {
  const recipients = answer.sent?.recipients ?? [];
  face.result(SendResponseSchema, answer, () => sentTable(recipients));
  if (answer.queued)
    face.say(`Kept: the server is away, and it is sent once, when it is back, as submission ${answer.submissionId}.`);
  for (const recipient of recipients) face.say(`Stored. ${wakeSentence(recipient)}`);
}
