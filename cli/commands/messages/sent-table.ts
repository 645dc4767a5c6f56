import { type Recipient, Wake } from '#gen/agentworks/messages/v1/messages_pb.ts';
import type { Shown } from '../../faces/face.ts';
import { dateOf } from '../../faces/time.ts';
import { presenceOf } from '../agents/agent-table.ts';

export const sentTable = (recipients: readonly Recipient[]): Shown => ({
  columns: [{ title: 'MESSAGE' }, { title: 'YOUR INBOX' }, { title: 'TO' }, { title: 'STATE' }, { title: 'SEEN' }],
  rows: recipients.map((recipient) => [
    recipient.messageId,
    recipient.inboxId,
    recipient.agentName,
    presenceOf(recipient.recipientState),
    dateOf(recipient.lastSeenTime),
  ]),
});

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

export const wakeSentence = ({ agentName, wake }: Recipient): string =>
  (wakes[wake] ?? ((name) => `${name} has it in its mailbox.`))(agentName === '' ? 'The account' : agentName);
