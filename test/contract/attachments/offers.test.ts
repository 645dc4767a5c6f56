import { expect, test } from 'vitest';
import { OfferOutcome } from '#gen/agentworks/agents/v1/attachments_pb.ts';
import { EvidenceKind } from '#gen/agentworks/bridge/v1/bridge_pb.ts';
import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import { StandingReason } from '#gen/agentworks/messages/v1/messages_pb.ts';
import { type Hands, refuses } from '../../doors/door.ts';
import { rpc } from '../../doors/rpc.ts';
import { attached } from '../../world/attached.ts';
import { LinkedBridge } from '../../world/bridge.ts';
import { inWorld } from '../../world/world.ts';
import { proves } from '../proves.ts';

const { GRANTED, ALREADY_OFFERED, ACKNOWLEDGED, NOT_FOUND, NO_WAKE } = OfferOutcome;

const outcomes = async (hands: Hands, attachmentId: string, messageIds: string[], wakes = false) => {
  const { offers } = await hands.attachments.claimOffer({ attachmentId, messageIds, route: 'stop-hook', wakes });
  expect(offers.map(({ messageId }) => messageId)).toEqual(messageIds);
  return offers.map(({ outcome }) => outcome);
};

/** What comes down a link next. */
const pushed = async (bridge: LinkedBridge) =>
  (await bridge.until('deliveries')).deliveries.flatMap(({ attachmentId, messages }) =>
    messages.map(({ message }) => [attachmentId, message!.body]),
  );

const send = async (hands: Hands, target: string) => (await hands.messages.send({ target, body: 'hello' })).messageId;

proves(
  'RCP-5c',
  'a message is granted once for ever',
  async ({ world, door }) => {
    const person = await world.person();
    const alice = rpc.as(await world.agent('alice'));
    const { child, attachmentId } = await attached(person, 'bob');
    const bob = door.as(child);
    const [one, two] = [await send(alice, 'agent:bob'), await send(alice, 'agent:bob')];
    await bob.attachments.acknowledge({ attachmentId, messageIds: [two], acknowledgement: 1 });
    expect(await outcomes(bob, attachmentId, [one, one, two])).toEqual([GRANTED, ALREADY_OFFERED, ACKNOWLEDGED]);
    expect(await outcomes(door.as(person), attachmentId, [one], true)).toEqual([ALREADY_OFFERED]);
    const moved = await attached(person, 'bob', 'another session');
    expect(await outcomes(door.as(moved.child), moved.attachmentId, [one])).toEqual([ALREADY_OFFERED]);
  },
  {
    doors: ['rpc', 'http'],
    because: 'the cli attaches only what it verified itself, and speaks for no attached agent',
  },
);

proves(
  'RCP-5c',
  'of twenty claims at once one is granted',
  async ({ world, door }) => {
    const alice = rpc.as(await world.agent('alice'));
    const { child, attachmentId } = await attached(await world.person(), 'bob');
    const elsewhere = world.at(await world.secondNode(), child);
    const messageId = await send(alice, 'agent:bob');
    const claims = Array.from({ length: 20 }, (_, i) =>
      outcomes(door.as(i % 2 === 0 ? child : elsewhere), attachmentId, [messageId], i % 3 === 0),
    );
    const all = (await Promise.all(claims)).flat();
    expect(all.filter((outcome) => outcome === GRANTED)).toHaveLength(1);
    expect(all.filter((outcome) => outcome === ALREADY_OFFERED)).toHaveLength(19);
  },
  {
    doors: ['rpc', 'http'],
    because: 'the cli attaches only what it verified itself, and speaks for no attached agent',
  },
);

proves(
  'RCP-5b',
  'what is not in the lease’s own mailbox is not released',
  async ({ world, door }) => {
    const person = await world.person();
    const alice = rpc.as(await world.agent('alice'));
    const { child, attachmentId } = await attached(person, 'bob');
    await attached(person, 'carol');
    const other = await world.account('other');
    const eve = rpc.as(await other.agent('eve'));
    await other.agent('mallory');
    const ids = [await send(alice, 'agent:carol'), await send(eve, 'agent:mallory'), 'msg_madeup'];
    expect(await outcomes(door.as(child), attachmentId, ids)).toEqual([NOT_FOUND, NOT_FOUND, NOT_FOUND]);
  },
  {
    doors: ['rpc', 'http'],
    because: 'the cli attaches only what it verified itself, and speaks for no attached agent',
  },
);

proves(
  'RCP-5b',
  'nothing is released once the receiver or its connection is gone, or by a login that did not attach it',
  async ({ world, door }) => {
    const [person, other] = [await world.person(), await world.person()];
    const alice = rpc.as(await world.agent('alice'));
    const bob = await attached(person, 'bob');
    const messageId = await send(alice, 'agent:bob');
    await refuses(Reason.LEASE_ENDED, outcomes(door.as(other), bob.attachmentId, [messageId]));
    await rpc.as(other).agents.unregister({ agentName: 'bob' });
    await refuses(Reason.LEASE_ENDED, outcomes(door.as(person), bob.attachmentId, [messageId]));
    await refuses(Reason.SIGNED_OUT, outcomes(door.as(bob.child), bob.attachmentId, [messageId]));
    const carol = await attached(person, 'carol');
    await rpc.as(other).access.revokeConnection({ connectionId: carol.attachment.childConnectionId });
    await refuses(
      Reason.LEASE_ENDED,
      outcomes(door.as(person), carol.attachmentId, [await send(alice, 'agent:carol')]),
    );
  },
  {
    doors: ['rpc', 'http'],
    because: 'the cli attaches only what it verified itself, and speaks for no attached agent',
  },
);

proves(
  'MSG-17d',
  'what waited together wakes once: thirty messages of one sender are one turn',
  async ({ world, door }) => {
    const alice = rpc.as(await world.agent('alice'));
    const { child, attachmentId } = await attached(await world.person(), 'bob');
    const ids: string[] = [];
    for (let i = 0; i < 30; i++) ids.push(await send(alice, 'agent:bob'));
    const bob = door.as(child);
    expect(new Set(await outcomes(bob, attachmentId, ids, true))).toEqual(new Set([GRANTED]));
    for (let i = 0; i < 19; i++)
      expect(await outcomes(bob, attachmentId, [await send(alice, 'agent:bob')], true)).toEqual([GRANTED]);
    const last = await send(alice, 'agent:bob');
    expect(await outcomes(bob, attachmentId, [last], true)).toEqual([NO_WAKE]);
    // It was refused a wake, and not its delivery.
    const { receipts } = await alice.messages.getReceipts({ messageId: last });
    expect(receipts[0]!.events.at(-1)!.detail).toMatch(/20 times in 10 minutes/);
    expect(await outcomes(bob, attachmentId, [last])).toEqual([GRANTED]);
  },
  {
    doors: ['rpc', 'http'],
    because: 'the cli attaches only what it verified itself, and speaks for no attached agent',
  },
);

test('RCP-2a live push goes to the attached session of the name, and to nobody else', () =>
  inWorld(async (world) => {
    const [desk, laptop] = [await world.person(), await world.person()];
    const alice = rpc.as(await world.agent('alice'));
    const bob = await attached(desk, 'bob');
    const carol = await attached(laptop, 'carol');
    await using deskBridge = await LinkedBridge.open(desk);
    await using laptopBridge = await LinkedBridge.open(laptop);
    await deskBridge.bind(bob);
    await laptopBridge.bind(carol);
    await alice.messages.send({ target: 'agent:bob', body: 'for bob' });
    await alice.messages.send({ target: 'agent:carol', body: 'for carol' });
    expect(await pushed(deskBridge)).toEqual([[bob.attachmentId, 'for bob']]);
    expect(await pushed(laptopBridge)).toEqual([[carol.attachmentId, 'for carol']]);
  }));

test('RCP-5c an offer that was definitely not delivered waits again, and its wake is given back', () =>
  inWorld(
    async (world) => {
      const person = await world.person();
      const alice = rpc.as(await world.agent('alice'));
      const bob = await attached(person, 'bob');
      await using bridge = await LinkedBridge.open(person);
      await bridge.bind(bob);
      const messageId = await send(alice, 'agent:bob');
      const claim = () => outcomes(rpc.as(bob.child), bob.attachmentId, [messageId], true);
      const standing = async () => (await alice.messages.getReceipts({ messageId })).receipts[0]!.reason;
      expect(await claim()).toEqual([GRANTED]);
      expect(await standing()).toBe(StandingReason.NOT_ACKNOWLEDGED);
      bridge.show(EvidenceKind.NOT_DELIVERED, bob, [messageId], 'the socket was gone');
      while ((await standing()) !== StandingReason.PENDING);
      expect(await claim()).toEqual([GRANTED]);
      expect(await claim()).toEqual([ALREADY_OFFERED]);
    },
    { AGENTWORKS_WAKES_PER_PAIR: '1' },
  ));
