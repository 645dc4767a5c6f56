import { expect, test } from 'vitest';
import { Acknowledgement } from '#gen/agentworks/agents/v1/attachments_pb.ts';
import { EvidenceKind } from '#gen/agentworks/bridge/v1/bridge_pb.ts';
import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import { ReceiptEventKind, ReceiptState, StandingReason } from '#gen/agentworks/messages/v1/messages_pb.ts';
import { type Hands, refuses } from '../../doors/door.ts';
import { rpc } from '../../doors/rpc.ts';
import { type Attached, attached } from '../../world/attached.ts';
import { LinkedBridge } from '../../world/bridge.ts';
import { inWorld, type World } from '../../world/world.ts';
import { proves } from '../proves.ts';

const { ADMITTED, PROCESSED } = Acknowledgement;

const receiptOf = async (hands: Hands, messageId: string) =>
  (await hands.messages.getReceipts({ messageId })).receipts[0]!;

const offer = (child: Hands, attachmentId: string, messageIds: string[]) =>
  child.attachments.claimOffer({ attachmentId, messageIds, route: 'claude-socket', wakes: true });

proves(
  'RCP-1a',
  'only the receiving agent’s own acknowledgement makes a message admitted and processed',
  async ({ world, door }) => {
    const person = await world.person();
    const alice = rpc.as(await world.agent('alice'));
    const { child, attachmentId } = await attached(person, 'bob');
    const carol = await attached(person, 'carol');
    const { messageId } = await alice.messages.send({ target: 'agent:bob', body: 'hello' });
    const messageIds = [messageId];
    const acknowledge = (who: Hands, acknowledgement: Acknowledgement) =>
      who.attachments.acknowledge({ attachmentId, messageIds, acknowledgement });
    await refuses(Reason.NOT_ALLOWED, acknowledge(door.as(person), ADMITTED));
    await refuses(Reason.LEASE_ENDED, acknowledge(door.as(carol.child), ADMITTED));
    expect((await receiptOf(alice, messageId)).state).toBe(ReceiptState.STORED);
    const answer = await acknowledge(door.as(child), ADMITTED);
    expect(answer).toMatchObject({ acknowledgedIds: messageIds, unknownIds: [] });
    expect(await receiptOf(alice, messageId)).toMatchObject({
      state: ReceiptState.ADMITTED,
      reason: StandingReason.NOT_PROCESSED,
    });
    await acknowledge(door.as(child), PROCESSED);
    const receipt = await receiptOf(alice, messageId);
    expect(receipt.state).toBe(ReceiptState.PROCESSED);
    expect(receipt.events.map(({ kind, source }) => [kind, source])).toEqual([
      [ReceiptEventKind.STORED, 'server'],
      [ReceiptEventKind.ADMITTED, 'agent'],
      [ReceiptEventKind.PROCESSED, 'agent'],
    ]);
  },
  {
    doors: ['rpc', 'http'],
    because: 'the cli attaches only what it verified itself, and speaks for no attached agent',
  },
);

proves(
  'RCP-1a',
  'an acknowledgement names what is not in its mailbox',
  async ({ world, door }) => {
    const person = await world.person();
    const alice = rpc.as(await world.agent('alice'));
    const { child, attachmentId } = await attached(person, 'bob');
    await attached(person, 'carol');
    const mine = await alice.messages.send({ target: 'agent:bob', body: 'for bob' });
    const hers = await alice.messages.send({ target: 'agent:carol', body: 'for carol' });
    const answer = await door.as(child).attachments.acknowledge({
      attachmentId,
      messageIds: [hers.messageId, mine.messageId, 'msg_madeup', mine.messageId],
      acknowledgement: ADMITTED,
    });
    expect(answer.acknowledgedIds).toEqual([mine.messageId]);
    expect(answer.unknownIds).toEqual([hers.messageId, 'msg_madeup']);
    expect((await receiptOf(alice, hers.messageId)).state).toBe(ReceiptState.STORED);
  },
  {
    doors: ['rpc', 'http'],
    because: 'the cli attaches only what it verified itself, and speaks for no attached agent',
  },
);

proves(
  'RCP-1b',
  'an offer leaves the state stored, and is an event of the timeline',
  async ({ world, door }) => {
    const alice = rpc.as(await world.agent('alice'));
    const { child, attachmentId } = await attached(await world.person(), 'bob');
    const { messageId } = await alice.messages.send({ target: 'agent:bob', body: 'hello' });
    await offer(door.as(child), attachmentId, [messageId]);
    const receipt = await receiptOf(alice, messageId);
    expect(receipt).toMatchObject({ state: ReceiptState.STORED, reason: StandingReason.NOT_ACKNOWLEDGED });
    expect(receipt.events.at(-1)).toMatchObject({
      kind: ReceiptEventKind.OFFERED,
      route: 'claude-socket',
      attachmentId,
    });
  },
  {
    doors: ['rpc', 'http'],
    because: 'the cli attaches only what it verified itself, and speaks for no attached agent',
  },
);

proves(
  'RCP-1d',
  'acknowledging needs a live lease',
  async ({ world, door }) => {
    const person = await world.person();
    const alice = rpc.as(await world.agent('alice'));
    const first = await attached(person, 'bob', 's1');
    const { messageId } = await alice.messages.send({ target: 'agent:bob', body: 'hello' });
    const second = await attached(person, 'bob', 's2');
    const acknowledge = (attachmentId: string) =>
      door
        .as(second.child)
        .attachments.acknowledge({ attachmentId, messageIds: [messageId], acknowledgement: ADMITTED });
    await refuses(Reason.LEASE_ENDED, acknowledge(first.attachmentId));
    expect((await receiptOf(alice, messageId)).state).toBe(ReceiptState.STORED);
    expect((await acknowledge(second.attachmentId)).acknowledgedIds).toEqual([messageId]);
  },
  {
    doors: ['rpc', 'http'],
    because: 'the cli attaches only what it verified itself, and speaks for no attached agent',
  },
);

proves(
  'RCP-1e',
  'what a mailbox-only name was sent stays stored, with that reason, even once it was read',
  async ({ world, door }) => {
    const alice = door.as(await world.agent('alice'));
    const bob = door.as(await world.agent('bob'));
    const { messageId } = await alice.messages.send({ target: 'agent:bob', body: 'hello' });
    await bob.messages.read({});
    expect(await receiptOf(alice, messageId)).toMatchObject({
      state: ReceiptState.STORED,
      reason: StandingReason.MAILBOX_ONLY,
    });
  },
  {
    doors: ['rpc', 'http'],
    because: 'the cli attaches only what it verified itself, and speaks for no attached agent',
  },
);

proves(
  'RCP-1f',
  'a state only moves forward, and a repeated acknowledgement changes nothing',
  async ({ world, door }) => {
    const alice = rpc.as(await world.agent('alice'));
    const { child, attachmentId } = await attached(await world.person(), 'bob');
    const { messageId } = await alice.messages.send({ target: 'agent:bob', body: 'hello' });
    const acknowledge = (acknowledgement: Acknowledgement) =>
      door.as(child).attachments.acknowledge({ attachmentId, messageIds: [messageId], acknowledgement });
    await acknowledge(PROCESSED);
    const before = await receiptOf(alice, messageId);
    expect((await acknowledge(ADMITTED)).acknowledgedIds).toEqual([messageId]);
    expect((await acknowledge(PROCESSED)).acknowledgedIds).toEqual([messageId]);
    expect(await receiptOf(alice, messageId)).toEqual(before);
    expect(before.events).toHaveLength(2);
  },
  {
    doors: ['rpc', 'http'],
    because: 'the cli attaches only what it verified itself, and speaks for no attached agent',
  },
);

/** What a bridge shows of a message that it was granted, and what the sender then reads. */
async function shown(
  world: World,
  kind: EvidenceKind,
  isDone: (receipt: Awaited<ReturnType<typeof receiptOf>>) => boolean,
): Promise<{ alice: Hands; bob: Attached; messageId: string; receipt: Awaited<ReturnType<typeof receiptOf>> }> {
  const person = await world.person();
  const alice = rpc.as(await world.agent('alice'));
  const bob = await attached(person, 'bob');
  await using bridge = await LinkedBridge.open(person);
  await bridge.bind(bob);
  const { messageId } = await alice.messages.send({ target: 'agent:bob', body: 'hello' });
  // Nothing can be shown of what was not offered.
  bridge.show(kind, bob, [messageId], 'too early');
  bridge.show(EvidenceKind.HELD_BY_HOST, bob, [messageId], 'first');
  while ((await receiptOf(alice, messageId)).events.length < 2);
  expect(await receiptOf(alice, messageId)).toMatchObject({
    state: ReceiptState.STORED,
    events: [{}, { detail: 'held: first' }],
  });
  await offer(rpc.as(bob.child), bob.attachmentId, [messageId]);
  bridge.show(kind, bob, [messageId], 'now');
  for (;;) {
    const receipt = await receiptOf(alice, messageId);
    if (isDone(receipt)) return { alice, bob, messageId, receipt };
  }
}

test('RCP-1c a host that reports the message inside the exact thread makes it admitted, as said by the host', () =>
  inWorld(async (world) => {
    const { receipt } = await shown(world, EvidenceKind.ADMITTED_BY_HOST, ({ state }) => state !== ReceiptState.STORED);
    expect(receipt.state).toBe(ReceiptState.ADMITTED);
    expect(receipt.events.at(-1)).toMatchObject({ kind: ReceiptEventKind.ADMITTED, source: 'host', detail: 'now' });
  }));

test('RCP-1c evidence of a turn is an event and no receipt', () =>
  inWorld(async (world) => {
    const { receipt } = await shown(world, EvidenceKind.ENTERED_TURN, ({ events }) => events.length === 4);
    expect(receipt.state).toBe(ReceiptState.STORED);
    expect(receipt.events.at(-1)).toMatchObject({ kind: ReceiptEventKind.EVIDENCE, source: 'host', detail: 'now' });
  }));

test('RCP-1g a message typed into a terminal is typed, until the agent itself says more', () =>
  inWorld(async (world) => {
    const { alice, bob, messageId, receipt } = await shown(
      world,
      EvidenceKind.TYPED,
      ({ state }) => state !== ReceiptState.STORED,
    );
    expect(receipt.state).toBe(ReceiptState.TYPED);
    expect(receipt.events.at(-1)).toMatchObject({ kind: ReceiptEventKind.TYPED, source: 'bridge' });
    const { attachmentId } = bob;
    await rpc
      .as(bob.child)
      .attachments.acknowledge({ attachmentId, messageIds: [messageId], acknowledgement: PROCESSED });
    expect((await receiptOf(alice, messageId)).state).toBe(ReceiptState.PROCESSED);
  }));
