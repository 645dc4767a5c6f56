import { create } from '@bufbuild/protobuf';
import { expect, test } from 'vitest';
import { type Message, MessageSchema } from '#gen/agentworks/messages/v1/messages_pb.ts';
import { audit, type Evidence, type Faults } from './audit.ts';
import { Ledger } from './ledger.ts';

const message = (messageId: string, body: string, fromAgent = 'alice'): Message =>
  create(MessageSchema, { messageId, body, fromAgent, toAgent: 'bob' });

const one = { sender: 'alice', submissionId: 's1', body: 'one' };
const two = { sender: 'alice', submissionId: 's2', body: 'two' };

/** Two sends of alice to bob, both answered, both read. */
function sound(): { ledger: Ledger; messages: Message[] } {
  const ledger = new Ledger();
  for (const [said, messageId] of [
    [one, 'm1'],
    [two, 'm2'],
  ] as const) {
    ledger.says(said);
    ledger.answered(said, [{ to: 'bob', messageId }]);
  }
  return { ledger, messages: [message('m1', 'one'), message('m2', 'two')] };
}

function faultsOf({ ledger, messages, ...more }: Partial<Evidence> & { ledger: Ledger; messages: Message[] }) {
  const { faults } = audit({ ledger, whole: [{ mailbox: 'bob', messages }], ...more });
  return Object.fromEntries(Object.entries(faults).filter(([, count]) => count > 0)) as Partial<Faults>;
}

const followed = (seen: Message[]) => [{ mailbox: 'bob', messages: seen }];
const receipts = (state: number, stored = 1) => new Map([['m1', { state, stored }]]);

test('what was answered and is read once is sound', () => {
  const { ledger, messages } = sound();
  const whole = [{ mailbox: 'bob', messages }];
  expect(audit({ ledger, whole })).toMatchObject({ acked: 2, uncertain: 0, read: 2 });
  expect(faultsOf({ ledger, messages })).toEqual({});
});

test('an unanswered send may be there once, or not at all', () => {
  const { ledger, messages } = sound();
  ledger.says({ ...one, submissionId: 's3', body: 'three' });
  expect(faultsOf({ ledger, messages })).toEqual({});
  expect(faultsOf({ ledger, messages: [...messages, message('m3', 'three')] })).toEqual({});
});

test('an answered send that cannot be read is lost', () => {
  const { ledger, messages } = sound();
  expect(faultsOf({ ledger, messages: messages.slice(0, 1) })).toEqual({ lost: 1 });
});

test('an unanswered send that is there twice is duplicated', () => {
  const { ledger, messages } = sound();
  ledger.says({ ...one, submissionId: 's3', body: 'three' });
  const twice = [...messages, message('m3', 'three'), message('m4', 'three')];
  expect(faultsOf({ ledger, messages: twice })).toEqual({ duplicated: 1 });
});

test('a message that stands in the mailbox twice is duplicated', () => {
  const { ledger, messages } = sound();
  expect(faultsOf({ ledger, messages: [...messages, messages[1]!] })).toEqual({ duplicated: 2 });
});

test('two answers to one submission are split', () => {
  const { ledger, messages } = sound();
  ledger.answered(one, [{ to: 'bob', messageId: 'm9' }]);
  expect(faultsOf({ ledger, messages })).toEqual({ split: 1 });
});

test('a message that was stored under another id than was answered is split', () => {
  const { ledger } = sound();
  expect(faultsOf({ ledger, messages: [message('m9', 'one'), message('m2', 'two')] })).toEqual({ split: 1 });
});

test('another body or another sender is altered', () => {
  const { ledger } = sound();
  expect(faultsOf({ ledger, messages: [message('m1', 'one', 'eve'), message('m2', 'two')] })).toEqual({ altered: 1 });
  expect(faultsOf({ ledger, messages: [message('m1', 'won'), message('m2', 'two')] })).toEqual({
    altered: 1,
    phantom: 1,
  });
});

test('what nobody sent, or was refused, is a phantom', () => {
  const { ledger, messages } = sound();
  const refused = { ...one, submissionId: 's3', body: 'three' };
  ledger.says(refused);
  ledger.refused(refused);
  expect(faultsOf({ ledger, messages: [...messages, message('m3', 'three')] })).toEqual({ phantom: 1 });
  expect(faultsOf({ ledger, messages: [...messages, message('m4', 'four')] })).toEqual({ phantom: 1 });
});

test('a reader that skipped, repeated or reordered is disordered', () => {
  const { ledger, messages } = sound();
  expect(faultsOf({ ledger, messages, followed: followed(messages.slice(0, 1)) })).toEqual({});
  expect(faultsOf({ ledger, messages, followed: followed(messages.slice(1)) })).toEqual({ disordered: 1 });
  expect(faultsOf({ ledger, messages, followed: followed([messages[0]!, messages[0]!]) })).toEqual({ disordered: 1 });
  expect(faultsOf({ ledger, messages: messages.toReversed() })).toEqual({ disordered: 1 });
});

test('two whole readings of one mailbox must agree', () => {
  const { ledger, messages } = sound();
  const whole = [messages, messages.slice(0, 1)].map((seen) => ({ mailbox: 'bob', messages: seen }));
  expect(audit({ ledger, whole }).faults.disordered).toBe(1);
});

test('a second grant of one message is a second release', () => {
  const { ledger, messages } = sound();
  ledger.granted('m1');
  expect(faultsOf({ ledger, messages })).toEqual({});
  ledger.granted('m1');
  expect(faultsOf({ ledger, messages })).toEqual({ released_twice: 1 });
});

test('a receipt lies between what was answered and what was asked', () => {
  const { ledger, messages } = sound();
  ledger.asks('m1', 2);
  ledger.acknowledges('m1', 2);
  ledger.asks('m1', 3);
  for (const state of [2, 3]) expect(faultsOf({ ledger, messages, receipts: receipts(state) })).toEqual({});
  expect(faultsOf({ ledger, messages, receipts: receipts(1) })).toEqual({ wrong_receipts: 1 });
  expect(faultsOf({ ledger, messages, receipts: receipts(2, 2) })).toEqual({ wrong_receipts: 1 });
  expect(faultsOf({ ledger, messages, receipts: new Map([['m2', { state: 2, stored: 1 }]]) })).toEqual({
    wrong_receipts: 1,
  });
});
