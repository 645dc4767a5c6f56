import { expect, test } from 'vitest';
import { OfferOutcome } from '#gen/agentworks/agents/v1/attachments_pb.ts';
import { rpc } from '../../doors/rpc.ts';
import { attached } from '../../world/attached.ts';
import { LinkedBridge } from '../../world/bridge.ts';
import { inWorld } from '../../world/world.ts';
import { proves } from '../proves.ts';

test('BRG-1a one stream carries the deliveries, submissions and claims of many leases', () =>
  inWorld(async (world) => {
    const person = await world.person();
    const alice = rpc.as(await world.agent('alice'));
    await using bridge = await LinkedBridge.open(person);
    const sessions = [];
    for (let n = 0; n < 20; n++) sessions.push(await attached(person, `agent-${n}`));
    for (const session of sessions) await bridge.bind(session);
    await alice.messages.send({ target: 'agent:*', body: 'to all' });
    const delivered = new Map<string, string>();
    while (delivered.size < sessions.length)
      for (const { attachmentId, messages } of (await bridge.until('deliveries')).deliveries)
        for (const { message } of messages) delivered.set(attachmentId, message!.messageId);
    expect([...delivered.keys()].toSorted()).toEqual(sessions.map(({ attachmentId }) => attachmentId).toSorted());

    const [one, two] = [sessions[0]!, sessions[1]!];
    const request = { attachmentId: two.attachmentId, messageIds: [delivered.get(two.attachmentId)!], wakes: true };
    bridge.send({ case: 'claim', value: { tag: 1n, request: { ...request, route: 'claude-socket' } } });
    const message = { attachmentId: one.attachmentId, target: 'agent:alice', body: 'from the first' };
    bridge.send({ case: 'submissions', value: { submissions: [{ tag: 2n, request: message }] } });
    const outcomes = new Map<bigint, unknown>();
    while (outcomes.size < 2)
      for (const { tag, outcome } of (await bridge.until('results')).results) outcomes.set(tag, outcome);
    expect(outcomes.get(1n)).toMatchObject({ case: 'claimed', value: { offers: [{ outcome: OfferOutcome.GRANTED }] } });
    expect(outcomes.get(2n)).toMatchObject({ case: 'sent' });
    expect((await alice.messages.read({})).messages).toMatchObject([{ fromAgent: 'agent-0', body: 'from the first' }]);
  }));

test('RCP-4d a frame holds one batch of a lease, however much of it waits', () =>
  inWorld(async (world) => {
    const person = await world.person();
    const alice = rpc.as(await world.agent('alice'));
    const bob = await attached(person, 'bob');
    for (let n = 0; n < 45; n++) await alice.messages.send({ target: 'agent:bob', body: `${n}` });
    await using bridge = await LinkedBridge.open(person);
    await bridge.bind(bob);
    const batches: string[][] = [];
    while (batches.flat().length < 45) {
      const { deliveries } = await bridge.until('deliveries');
      expect(deliveries).toHaveLength(1);
      batches.push(deliveries[0]!.messages.map(({ message }) => message!.body));
    }
    expect(batches.map((batch) => batch.length)).toEqual([20, 20, 5]);
    expect(batches.flat()).toEqual(Array.from({ length: 45 }, (_, n) => `${n}`));
  }));

proves(
  'BRG-3a.1',
  'a new lease is told where to begin: after what an earlier lease was offered',
  async ({ world, door }) => {
    const person = await world.person();
    const alice = rpc.as(await world.agent('alice'));
    const earlier = await attached(person, 'bob');
    const [first, second] = ['one', 'two'].map((body) => alice.messages.send({ target: 'agent:bob', body }));
    const messageIds = [(await first!).messageId];
    await second;
    const offer = { attachmentId: earlier.attachmentId, messageIds, route: 'stop-hook', wakes: false };
    await rpc.as(earlier.child).attachments.claimOffer(offer);
    const { child, attachmentId, startCursor } = await attached(person, 'bob', 'another session');
    const page = await door.as(child).messages.read({ attachmentId, after: startCursor });
    expect(page.messages.map(({ body }) => body)).toEqual(['two']);
  },
  { doors: ['rpc', 'http'], because: 'the command line is the person’s: no command takes a child’s credential' },
);
