import { randomUUID } from 'node:crypto';
import { SendResponseSchema } from '#gen/agentworks/messages/v1/messages_pb.ts';
import { Refusal } from '../../../bridge/client/index.ts';
import { command } from '../../command.ts';
import { hidden, text, turnOn } from '../../options.ts';
import { bodyOf, objectIn, saidOptions } from './said.ts';
import { sentTable, wakeSentence } from './sent-table.ts';

/** Long enough for a server that is being restarted, short enough for whoever waits. */
const PATIENCE_MS = 3_000;

export const send = command({
  description:
    'A target opens a new conversation; an inbox goes on in one. Without a submission id one is made, so that a send\nwhich must be repeated on the way is stored once.',
  options: {
    agent: text('NAME', 'The registered name you speak as; without it, the account itself'),
    target: text('ADDRESS', 'agent:NAME, or agent:* for all other agents of the account'),
    inbox: text('ID', 'Your own side of a conversation: a reply_address, or the inbox of an earlier send'),
    ...saidOptions,
    submissionId: text('ID', 'Makes a repeat of this command safe'),
    contentType: text('TYPE', 'text/plain, text/markdown or application/json'),
    metadata: text('JSON', 'An object beside the text'),
    inReplyTo: text('MESSAGE_ID', 'The message this one answers'),
    noWake: turnOn('Store it and wake nobody'),
    attachment: hidden('ID', 'The live attachment that speaks'),
  },
  operand: { name: 'TEXT', summary: 'As --message', optional: true },
  examples: [
    'agentworks messages send --agent alice --target agent:bob --message "The build is green."',
    'agentworks messages send --agent bob --inbox inb_01ABC -- "--verbose shows why."',
    'git log -3 | agentworks messages send --agent alice --target "agent:*" --input -',
  ],
  async run(context, given, operand) {
    const { face, io } = context;
    const submissionId = given.submissionId ?? randomUUID();
    const request = {
      agentName: given.agent ?? '',
      target: given.target ?? '',
      inboxId: given.inbox ?? '',
      body: await bodyOf(io, given, operand),
      submissionId,
      contentType: given.contentType ?? '',
      ...(given.metadata === undefined ? {} : { metadata: objectIn(given.metadata) }),
      inReplyTo: given.inReplyTo ?? '',
      noWake: given.noWake,
      attachmentId: given.attachment ?? '',
    };
    const client = await context.client();
    const answer = await client
      .send(request, { patienceMs: PATIENCE_MS, signal: io.signal })
      .catch((error: unknown) => {
        if (error instanceof Refusal && (error.reason === 'UNAVAILABLE' || error.reason === 'DEADLINE_EXCEEDED'))
          face.say(
            error.isUnsent
              ? 'Nothing was sent.'
              : `Whether it was stored is not known. To try again without sending twice: --submission-id ${submissionId}`,
          );
        throw error;
      });
    face.result(SendResponseSchema, answer, () => sentTable(answer.recipients));
    for (const recipient of answer.recipients) face.say(`Stored. ${wakeSentence(recipient)}`);
  },
});
