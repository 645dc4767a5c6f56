import type { Message } from '#gen/agentworks/messages/v1/messages_pb.ts';
import type { Shown } from '../../faces/face.ts';
import { printable, printableLines } from '../../faces/printable.ts';
import { ago, dateOf } from '../../faces/time.ts';

const title = (name: string): string => (name === '' ? '(account)' : name);

/** A row a message for a program; a block a message for a person. */
export const messageRows = (messages: readonly Message[], empty?: string): Shown => ({
  columns: [
    { title: 'MESSAGE' },
    { title: 'TIME' },
    { title: 'FROM' },
    { title: 'TO' },
    { title: 'REPLY TO' },
    { title: 'ANSWERS' },
    { title: 'TYPE' },
    { title: 'BODY' },
  ],
  rows: messages.map((message) => [
    message.messageId,
    dateOf(message.createTime),
    message.fromAgent,
    message.toAgent,
    message.replyAddress,
    message.inReplyTo,
    message.contentType,
    message.body,
  ]),
  blocks: () => messages.flatMap((message) => block(message, new Date())),
  ...(empty === undefined ? {} : { empty }),
});

const replyCommand = ({ toAgent, replyAddress }: Message): string =>
  `agentworks messages send${toAgent === '' ? '' : ` --agent ${toAgent}`} --inbox ${replyAddress} --message TEXT`;

/** The body is indented: whatever it says, it cannot look like one of our own lines. */
function block(message: Message, now: Date): string[] {
  const time = dateOf(message.createTime);
  const facts = [
    `${title(message.fromAgent)} to ${title(message.toAgent)}`,
    ...(time === undefined ? [] : [ago(time, now)]),
    message.messageId,
    ...(message.contentType === 'text/plain' ? [] : [message.contentType]),
    ...(message.inReplyTo === '' ? [] : [`answers ${message.inReplyTo}`]),
  ];
  return [
    printable(facts.join(', ')),
    ...printableLines(message.body.trimEnd()).map((line) => (line === '' ? '' : `    ${line}`)),
    printable(`  reply: ${replyCommand(message)}`),
  ];
}
