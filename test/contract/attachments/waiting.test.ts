import { expect, test } from 'vitest';
import { Presence } from '#gen/agentworks/agents/v1/agents_pb.ts';
import { StandingReason } from '#gen/agentworks/messages/v1/messages_pb.ts';
import { rpc } from '../../doors/rpc.ts';
import { attached } from '../../world/attached.ts';
import { LinkedBridge } from '../../world/bridge.ts';
import { attachThrough, session } from '../../world/session.ts';
import { inWorld } from '../../world/world.ts';
import { proves } from '../proves.ts';

proves(
  'RCP-4c',
  'without its session a name shows offline, and its messages wait',
  async ({ world, door }) => {
    const person = await world.person();
    const hands = door.as(person);
    const alice = door.as(await world.agent('alice'));
    const bob = await attachThrough(hands, person, session('bob', 's1'));
    const presence = async () => (await hands.agents.get({ agentName: 'bob' })).agent!.presence;
    expect(await presence()).toBe(Presence.OFFLINE);
    const { messageId, recipients } = await alice.messages.send({ target: 'agent:bob', body: 'hello' });
    expect(recipients).toMatchObject([{ recipientState: Presence.OFFLINE }]);
    expect((await alice.messages.getReceipts({ messageId })).receipts[0]!.reason).toBe(StandingReason.OFFLINE);
    await hands.attachments.detach({ attachmentId: bob.attachmentId });
    expect(await presence()).toBe(Presence.MAILBOX_ONLY);
    const again = await attachThrough(hands, person, session('bob', 's1'));
    const { messages } = await door.as(again.child).messages.read({
      attachmentId: again.attachmentId,
      after: again.startCursor,
    });
    expect(messages).toMatchObject([{ messageId }]);
  },
  {
    doors: ['rpc', 'http'],
    because: 'the cli attaches only what it verified itself, and speaks for no attached agent',
  },
);

test('RCP-4d waiting messages arrive on attach, oldest first, in batches of 20', () =>
  inWorld(async (world) => {
    const person = await world.person();
    const alice = rpc.as(await world.agent('alice'));
    await rpc.as(person).agents.register({ agentName: 'bob' });
    const bodies = Array.from({ length: 45 }, (_, i) => `message ${i}`);
    for (const body of bodies) await alice.messages.send({ target: 'agent:bob', body });
    const bob = await attached(person, 'bob');
    await using bridge = await LinkedBridge.open(person);
    await bridge.bind(bob);
    const batches: string[][] = [];
    while (batches.flat().length < 45) {
      const { deliveries } = await bridge.until('deliveries');
      for (const { messages } of deliveries) batches.push(messages.map(({ message }) => message!.body));
    }
    expect(batches.map((batch) => batch.length)).toEqual([20, 20, 5]);
    expect(batches.flat()).toEqual(bodies);
  }));

test('RCP-4d a new lease starts after what was offered or acknowledged, and misses nothing that waits', () =>
  inWorld(async (world) => {
    const person = await world.person();
    const alice = rpc.as(await world.agent('alice'));
    const first = await attached(person, 'bob', 's1');
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) ids.push((await alice.messages.send({ target: 'agent:bob', body: `${i}` })).messageId);
    const { attachmentId } = first;
    const bob = rpc.as(first.child).attachments;
    await bob.claimOffer({ attachmentId, messageIds: [ids[0]!, ids[3]!], route: 'stop-hook', wakes: false });
    await bob.acknowledge({ attachmentId, messageIds: [ids[1]!], acknowledgement: 2 });
    const second = await attached(person, 'bob', 's2');
    const { messages } = await rpc.as(second.child).messages.read({
      attachmentId: second.attachmentId,
      after: second.startCursor,
    });
    expect(messages.map(({ body }) => body)).toEqual(['2', '3', '4']);
  }));
