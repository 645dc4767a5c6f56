import { expect } from 'vitest';
import type { Message } from '#gen/agentworks/messages/v1/messages_pb.ts';
import { rpc } from '../../doors/rpc.ts';
import { proves } from '../proves.ts';
import { noStreamingTool } from '../through.ts';

const messagesOf = (page: { readonly messages: readonly Message[] }) => page.messages;
const bodies = (messages: readonly Message[]) => messages.map(({ body }) => body);

proves(
  'MSG-13a',
  'a watch pushes what is there after its cursor, and then what comes',
  async ({ world, door }) => {
    const alice = rpc.as(await world.agent('alice'));
    const bob = door.as(await world.agent('bob'));
    for (const body of ['one', 'two']) await alice.messages.send({ target: 'agent:bob', body });
    await using watch = bob.messages.watchMailbox({});
    expect(bodies(await watch.some(2, messagesOf))).toEqual(['one', 'two']);
    for (const body of ['three', 'four']) await alice.messages.send({ target: 'agent:bob', body });
    expect(bodies(await watch.some(2, messagesOf))).toEqual(['three', 'four']);
  },
  noStreamingTool,
);

proves(
  'MSG-13a',
  'a watch of an empty mailbox says that it began',
  async ({ world, door }) => {
    const bob = door.as(await world.agent('bob'));
    await using watch = bob.messages.watchMailbox({});
    expect(await watch.next()).toMatchObject({ messages: [], nextCursor: expect.stringMatching(/./) });
  },
  noStreamingTool,
);

proves('MSG-13b', 'a watch of an inbox pushes that conversation only', async ({ world, door }) => {
  const alice = door.as(await world.agent('alice'));
  const bob = rpc.as(await world.agent('bob'));
  const first = await alice.messages.send({ target: 'agent:bob', body: 'one' });
  await alice.messages.send({ target: 'agent:bob', body: 'two' });
  const [one, two] = (await bob.messages.read({})).messages;
  await using watch = alice.messages.watchInbox({ inboxId: first.inboxId });
  await watch.next();
  await bob.messages.send({ inboxId: two!.replyAddress, body: 'to two' });
  await bob.messages.send({ inboxId: one!.replyAddress, body: 'to one' });
  expect(bodies(await watch.some(1, messagesOf))).toEqual(['to one']);
});

proves(
  'MSG-13c',
  'after a break a watch goes on from its last cursor',
  async ({ world, door }) => {
    const alice = rpc.as(await world.agent('alice'));
    const bob = door.as(await world.agent('bob'));
    await alice.messages.send({ target: 'agent:bob', body: 'one' });
    let after: string;
    {
      await using watch = bob.messages.watchMailbox({});
      const page = await watch.next();
      expect(bodies(page.messages)).toEqual(['one']);
      after = page.nextCursor;
    }
    for (const body of ['two', 'three']) await alice.messages.send({ target: 'agent:bob', body });
    await using again = bob.messages.watchMailbox({ after });
    expect(bodies(await again.some(2, messagesOf))).toEqual(['two', 'three']);
  },
  noStreamingTool,
);

proves(
  'MSG-13d',
  'a watch ends with the reason when its connection is revoked, and nothing follows',
  async ({ world, door }) => {
    const person = rpc.as(await world.person());
    const alice = rpc.as(await world.agent('alice'));
    const bob = await world.agent('bob');
    await using watch = door.as(bob).messages.watchMailbox({});
    await watch.next();
    await person.access.revokeConnection({ connectionId: bob.connectionId });
    await alice.messages.send({ target: 'agent:bob', body: 'too late' });
    const { refusal, last } = await watch.ended();
    expect(refusal.reason).toBe('SIGNED_OUT');
    expect(last).toEqual([]);
  },
  noStreamingTool,
);

proves(
  'MSG-13d',
  'a watch ends when the name is unregistered',
  async ({ world, door }) => {
    const bob = await world.agent('bob');
    await using watch = door.as(bob).messages.watchMailbox({});
    await watch.next();
    await rpc.as(bob).agents.unregister({ agentName: 'bob' });
    expect((await watch.ended()).refusal.reason).toBe('NOT_FOUND');
  },
  noStreamingTool,
);

proves(
  'MSG-13d',
  'a watch ends when its connection is no longer allowed to use the name',
  async ({ world, door }) => {
    const alice = rpc.as(await world.agent('alice'));
    const bob = await world.agent('bob');
    const device = await world.program('second device');
    const allow = (values: string[]) =>
      rpc.as(bob).agents.register({ agentName: 'bob', allowedConnectionIds: { values } });
    await allow([device.connectionId]);
    await using watch = door.as(device).messages.watchMailbox({ agentName: 'bob' });
    await watch.next();
    await allow([]);
    await alice.messages.send({ target: 'agent:bob', body: 'too late' });
    const { refusal, last } = await watch.ended();
    expect(refusal.reason).toBe('NOT_ALLOWED');
    expect(last).toEqual([]);
  },
  noStreamingTool,
);
