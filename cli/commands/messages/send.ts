import { randomUUID } from 'node:crypto';
import type { JsonObject } from '@bufbuild/protobuf';
import { type Recipient, SendResponseSchema, Wake } from '#gen/agentworks/messages/v1/messages_pb.ts';
import { Refusal } from '../../../bridge/client/index.ts';
import { command, type Context, Usage } from '../../command.ts';
import { dateOf } from '../../faces/time.ts';
import { readInput } from '../../input.ts';
import { hidden, text, turnOn } from '../../options.ts';
import { presenceOf } from '../agents/agent-table.ts';

/** Long enough for a server that is being restarted, short enough for whoever waits. */
const PATIENCE_MS = 3_000;

export const send = command({
  description:
    'A target opens a new conversation; an inbox goes on in one. Without a submission id one is made, so that a send\nwhich must be repeated on the way is stored once.',
  options: {
    agent: text('NAME', 'The registered name you speak as; without it, the account itself'),
    target: text('ADDRESS', 'agent:NAME, or agent:* for all other agents of the account'),
    inbox: text('ID', 'Your own side of a conversation: a reply_address, or the inbox of an earlier send'),
    message: text('TEXT', 'What to say; or as an argument after --'),
    input: text('FILE', 'Read what to say from a file; - is stdin'),
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
      body: await bodyOf(context, [given.message, operand], given.input),
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
            `Whether it was stored is not known. To try again without sending twice: --submission-id ${submissionId}`,
          );
        throw error;
      });
    face.result(SendResponseSchema, answer, () => ({
      columns: [{ title: 'MESSAGE' }, { title: 'YOUR INBOX' }, { title: 'TO' }, { title: 'STATE' }, { title: 'SEEN' }],
      rows: answer.recipients.map((recipient) => [
        recipient.messageId,
        recipient.inboxId,
        recipient.agentName,
        presenceOf(recipient.recipientState),
        dateOf(recipient.lastSeenTime),
      ]),
    }));
    for (const recipient of answer.recipients) face.say(`Stored. ${wakeSentence(recipient)}`);
  },
});

async function bodyOf({ io }: Context, said: readonly (string | undefined)[], input: string | undefined) {
  const given = said.filter((words) => words !== undefined);
  if (given.length + (input === undefined ? 0 : 1) !== 1)
    throw new Usage('Say what to send once: --message TEXT, an argument after --, or --input FILE (- is stdin).');
  return input === undefined ? given[0]! : readInput(io, input);
}

function objectIn(json: string): JsonObject {
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject;
  } catch {
    // Answered below: whatever is wrong with it, the remedy is the same.
  }
  throw new Usage(`--metadata is a JSON object, as '{"ticket": 7}'.`);
}

const wakes: Partial<Record<Wake, (name: string) => string>> = {
  [Wake.EXPECTED]: (name) => `${name} is woken.`,
  [Wake.AT_TURN_BOUNDARY]: (name) => `${name} takes it at its next turn; nothing starts one.`,
  [Wake.OFFLINE]: (name) => `${name} is offline; the message waits for its session.`,
  [Wake.MAILBOX_ONLY]: (name) => `Nobody is attached as ${name}: it must read its mailbox.`,
  [Wake.NOT_ASKED]: (name) => `${name} is not woken, as you asked.`,
  [Wake.REFUSED_HOPS]: (name) =>
    `${name} is not woken: too many messages since a person's last turn. agentworks agents reset-wakes lets them go on.`,
  [Wake.REFUSED_PAIR]: (name) =>
    `${name} is not woken: you woke it too often just now. agentworks agents reset-wakes lets you go on.`,
  [Wake.REFUSED_ACCOUNT]: (name) =>
    `${name} is not woken: the account's agents were woken too often this hour. agentworks agents reset-wakes lets them go on.`,
};

const wakeSentence = ({ agentName, wake }: Recipient): string =>
  (wakes[wake] ?? ((name) => `${name} has it in its mailbox.`))(agentName === '' ? 'The account' : agentName);
