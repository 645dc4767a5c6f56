import type { Message } from '#gen/agentworks/messages/v1/messages_pb.ts';
import type { Ledger } from './ledger.ts';

/** What one reader got of one mailbox, in the order in which it came. */
export interface Reading {
  readonly mailbox: string;
  readonly messages: readonly Message[];
}

export interface Evidence {
  readonly ledger: Ledger;
  /** Each mailbox from its start to its end, once everything was quiet; a mailbox may be read more than once. */
  readonly whole: readonly Reading[];
  /** From the start of a mailbox to wherever the reader got, across every break. */
  readonly followed?: readonly Reading[];
  /** The state that a sender reads of a message it sent, and how often the timeline says that it was stored. */
  readonly receipts?: ReadonlyMap<string, { readonly state: number; readonly stored: number }>;
}

/** Every count must be zero. */
export interface Faults {
  /** An answered send that its recipient cannot read. */
  lost: number;
  /** One submission, or one message, that is there twice for one recipient. */
  duplicated: number;
  /** One submission id that was answered with two messages, or stands in the mailbox as another than was answered. */
  split: number;
  /** A message whose body, sender or recipient is not what was said. */
  altered: number;
  /** A message that nobody sent, or whose send was refused for good. */
  phantom: number;
  /** A reader that missed, repeated or reordered something, or a sender's messages out of their order. */
  disordered: number;
  /** A body that the server allowed to be released more than once. */
  released_twice: number;
  /** A receipt that says more, or less, than was acknowledged. */
  wrong_receipts: number;
}

export interface Audit {
  readonly acked: number;
  /** Sends that were never answered; whether they were stored is open, that they were stored once is not. */
  readonly uncertain: number;
  readonly read: number;
  readonly faults: Faults;
}

/** Compares what senders and receivers know with what readers read through the doors. */
export function audit({ ledger, whole, followed = [], receipts = new Map() }: Evidence): Audit {
  const faults: Faults = {
    lost: 0,
    duplicated: 0,
    split: 0,
    altered: 0,
    phantom: 0,
    disordered: 0,
    released_twice: 0,
    wrong_receipts: 0,
  };
  const said = new Map(ledger.entries.map((entry) => [entry.said.body, entry]));
  const mailboxes = new Map<string, readonly Message[]>();
  for (const { mailbox, messages } of whole) {
    const before = mailboxes.get(mailbox);
    if (before === undefined) mailboxes.set(mailbox, messages);
    else if (!isPrefix(before, messages) || before.length !== messages.length) faults.disordered++;
  }
  for (const { mailbox, messages } of followed)
    if (!isPrefix(messages, mailboxes.get(mailbox) ?? [])) faults.disordered++;

  for (const [mailbox, messages] of mailboxes) {
    faults.duplicated += repeats(messages.map(({ body }) => body));
    faults.duplicated += repeats(messages.map(({ messageId }) => messageId));
    faults.disordered += outOfOrder(messages.map(({ body }) => said.get(body)?.said));
    for (const message of messages) {
      const entry = said.get(message.body);
      if (entry === undefined || entry.isRefused) faults.phantom++;
      else if (entry.said.sender !== message.fromAgent || message.toAgent !== mailbox) faults.altered++;
    }
  }
  for (const {
    said: { body },
    copies = [],
    isSplit,
  } of ledger.entries) {
    if (isSplit) faults.split++;
    for (const { to, messageId } of copies) {
      const mailbox = mailboxes.get(to) ?? [];
      const found = mailbox.find((message) => message.messageId === messageId);
      if (found !== undefined) faults.altered += found.body === body ? 0 : 1;
      else if (mailbox.some((message) => message.body === body)) faults.split++;
      else faults.lost++;
    }
  }
  for (const times of ledger.grants.values()) if (times > 1) faults.released_twice++;
  for (const [messageId, { state, stored }] of receipts) {
    const { known, asked } = ledger.acknowledged.get(messageId) ?? { known: 1, asked: 1 };
    if (state < known || state > asked || stored !== 1) faults.wrong_receipts++;
  }
  const read = [...mailboxes.values()].reduce((sum, messages) => sum + messages.length, 0);
  return { acked: ledger.acked, uncertain: ledger.entries.length - ledger.acked, read, faults };
}

const isPrefix = (part: readonly Message[], all: readonly Message[]): boolean =>
  part.length <= all.length && part.every(({ messageId }, at) => all[at]!.messageId === messageId);

const repeats = (values: readonly string[]): number => values.length - new Set(values).size;

/** A sender that waits for each answer before its next send numbers its submissions upwards. */
function outOfOrder(all: readonly ({ sender: string; submissionId: string } | undefined)[]): number {
  const last = new Map<string, number>();
  let count = 0;
  for (const one of all) {
    if (one === undefined) continue;
    const number = Number(/\d+$/.exec(one.submissionId)?.[0]);
    if (number < (last.get(one.sender) ?? -1)) count++;
    last.set(one.sender, number);
  }
  return count;
}
