import type fc from 'fast-check';
import { expect } from 'vitest';
import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import type { SendResponse } from '#gen/agentworks/messages/v1/messages_pb.ts';
import { type Refused, refuses } from '../../doors/door.ts';
import { type AgentModel, type Model, owner, type Real, speaking, type Stored } from './model.ts';

type Command = fc.AsyncCommand<Model, Real>;

const idsOf = ({ recipients }: SendResponse): string =>
  recipients.map(({ messageId, inboxId }) => `${messageId} ${inboxId}`).join(' ');

function deliver(
  model: Model,
  from: AgentModel,
  recipients: readonly AgentModel[],
  [answer, body]: readonly [SendResponse, string],
): void {
  expect(answer.recipients.map(({ agentName }) => agentName)).toEqual(recipients.map(({ name }) => name));
  for (const [at, to] of recipients.entries()) {
    const { messageId } = answer.recipients[at]!;
    const stored: Stored = {
      messageId,
      body,
      from: { name: from.name, life: from.life },
      state: 1,
      isOffered: false,
    };
    expect(to.mailbox.some((other) => other.messageId === messageId)).toBe(false);
    to.mailbox.push(stored);
    model.stored++;
  }
}

export class Send implements Command {
  readonly from: string;
  readonly to: string;
  readonly key: string;
  readonly body: string;
  readonly node: number;

  constructor(from: string, to: string, key: string, body: string, node: number) {
    this.from = from;
    this.to = to;
    this.key = key;
    this.body = body;
    this.node = node;
  }

  check = () => true;

  async run(model: Model, real: Real): Promise<void> {
    const from = model.agent(this.from);
    const target = `agent:${this.to}`;
    const sending = speaking(real, from, this.node).messages.send({
      target,
      body: this.body,
      submissionId: this.key,
    });
    if (!from.isSignedIn) return void (await refuses(Reason.SIGNED_OUT, sending));
    if (this.to === this.from) {
      // Another server may still remember a name that was removed: it is not yet unknown there, and still oneself.
      const outcome = await sending.catch((error: unknown) => (error as Refused).refusal.reason);
      expect(from.isRegistered ? ['SELF_SEND'] : ['SELF_SEND', 'NOT_FOUND']).toContain(outcome);
      return;
    }
    if (!from.isRegistered) return void (await refuses(Reason.NOT_FOUND, sending));
    const key = `${owner(from)} ${this.key}`;
    const before = this.key === '' ? undefined : model.submissions.get(key);
    if (before !== undefined) {
      if (before.target !== target || before.body !== this.body)
        return void (await refuses(Reason.SUBMISSION_CONFLICT, sending));
      expect(idsOf(await sending)).toBe(before.ids);
      return;
    }
    const recipients = model.others(this.from).filter(({ name }) => this.to === '*' || this.to === name);
    if (recipients.length === 0) return void (await refuses(Reason.NOT_FOUND, sending));
    const answer = await sending;
    model.submissions.set(key, { target, body: this.body, ids: idsOf(answer) });
    deliver(model, from, recipients, [answer, this.body]);
  }

  toString = () => `send(${this.from} -> ${this.to}, ${this.key || 'no id'}, ${this.body}, at ${this.node})`;
}

/** Goes on in the conversation of the newest message of a mailbox. */
export class Reply implements Command {
  readonly from: string;
  readonly body: string;
  readonly node: number;

  constructor(from: string, body: string, node: number) {
    this.from = from;
    this.body = body;
    this.node = node;
  }

  check = (model: Readonly<Model>): boolean => {
    const { isRegistered, isSignedIn, mailbox } = model.agent(this.from);
    return isRegistered && isSignedIn && mailbox.length > 0;
  };

  async run(model: Model, real: Real): Promise<void> {
    const from = model.agent(this.from);
    const hands = speaking(real, from, this.node);
    const newest = from.mailbox.at(-1)!;
    const { messages } = await hands.messages.read({ pageSize: 100 });
    const { replyAddress } = messages.find(({ messageId }) => messageId === newest.messageId)!;
    const sending = hands.messages.send({ inboxId: replyAddress, body: this.body });
    const to = model.agent(newest.from.name);
    const isThere = to.isRegistered && to.life === newest.from.life;
    if (!isThere) return void (await refuses(Reason.NOT_FOUND, sending));
    deliver(model, from, [to], [await sending, this.body]);
  }

  toString = () => `reply(${this.from}, ${this.body}, at ${this.node})`;
}

export class Read implements Command {
  readonly by: string;
  readonly size: number;
  readonly after: 'start' | 'last' | 'foreign';
  readonly node: number;

  constructor(by: string, size: number, after: 'start' | 'last' | 'foreign', node: number) {
    this.by = by;
    this.size = size;
    this.after = after;
    this.node = node;
  }

  check = () => true;

  async run(model: Model, real: Real): Promise<void> {
    const by = model.agent(this.by);
    const foreign = [...real.cursors.values()].find(({ of }) => of !== owner(by));
    const saved = this.after === 'last' ? real.cursors.get(this.by) : foreign;
    const from = this.after === 'start' ? undefined : saved;
    const reading = speaking(real, by, this.node).messages.read({
      after: from?.cursor ?? '0',
      pageSize: this.size,
    });
    if (!by.isSignedIn) return void (await refuses(Reason.SIGNED_OUT, reading));
    if (!by.isRegistered) return void (await refuses(Reason.NOT_FOUND, reading));
    if (from !== undefined && from.of !== owner(by)) return void (await refuses(Reason.BAD_CURSOR, reading));
    const { messages, nextCursor } = await reading;
    const skip = from?.count ?? 0;
    expect(messages.map(({ messageId, body }) => `${messageId} ${body}`)).toEqual(
      by.mailbox.slice(skip, skip + this.size).map(({ messageId, body }) => `${messageId} ${body}`),
    );
    real.cursors.set(this.by, { of: owner(by), cursor: nextCursor, count: skip + messages.length });
  }

  toString = () => `read(${this.by}, ${this.size} after ${this.after}, at ${this.node})`;
}

/** What a sender reads of a message that lies in some mailbox. */
export class AskReceipt implements Command {
  readonly of: string;
  readonly pick: number;
  readonly node: number;

  constructor(of: string, pick: number, node: number) {
    this.of = of;
    this.pick = pick;
    this.node = node;
  }

  check = (model: Readonly<Model>): boolean => model.agent(this.of).mailbox.length > 0;

  async run(model: Model, real: Real): Promise<void> {
    const { mailbox } = model.agent(this.of);
    const { messageId, from, state } = mailbox[this.pick % mailbox.length]!;
    const sender = model.agent(from.name);
    const asking = speaking(real, sender, this.node).messages.getReceipts({ messageId });
    if (!sender.isSignedIn) return void (await refuses(Reason.SIGNED_OUT, asking));
    // The rights to a name that was registered anew are not those to the one before.
    if (sender.life !== from.life || !sender.isRegistered) return void (await asking.catch(() => {}));
    expect((await asking).receipts).toMatchObject([{ state }]);
  }

  toString = () => `receipt(${this.of} #${this.pick}, at ${this.node})`;
}
