import { expect } from 'vitest';
import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import { refuses } from '../../doors/door.ts';
import { rpc } from '../../doors/rpc.ts';
import { proves } from '../proves.ts';

proves(
  'MSG-19a',
  'a name that does not exist stores nothing and is answered with near names',
  async ({ world, door }) => {
    const alice = door.as(await world.agent('alice'));
    const engineer = door.as(await world.agent('engineer'));
    await world.agent('writer');
    const refusal = await refuses(Reason.NOT_FOUND, alice.messages.send({ target: 'agent:enginer', body: 'hello' }));
    expect(refusal).toMatchObject({ subject: 'target', suggestions: ['engineer'] });
    expect((await engineer.messages.read({})).messages).toEqual([]);
    await rpc.as(await world.program('late')).agents.register({ agentName: 'enginer' });
    expect((await alice.messages.search({ query: 'hello' })).messages).toEqual([]);
  },
);

proves('MSG-19b', 'near names come from the caller’s account only', async ({ world, door }) => {
  const alice = door.as(await world.agent('alice'));
  await (await world.account('other')).agent('engineer');
  const refusal = await refuses(Reason.NOT_FOUND, alice.messages.send({ target: 'agent:enginer', body: 'hello' }));
  expect(refusal.suggestions).toEqual([]);
  expect(refusal.sentence).not.toContain('engineer');
});

proves('MSG-19c', 'a send to oneself is refused, however the name is written', async ({ world, door }) => {
  const alice = door.as(await world.agent('alice'));
  for (const target of ['agent:alice', 'agent:ALICE'])
    expect(await refuses(Reason.SELF_SEND, alice.messages.send({ target, body: 'hello' }))).toMatchObject({
      subject: 'target',
    });
  expect((await alice.messages.read({})).messages).toEqual([]);
});

proves('MSG-19d', 'a read that waits for one sender is not answered by another', async ({ world, door }) => {
  const alice = await world.agent('alice');
  const carol = await world.agent('carol');
  const bob = door.as(await world.agent('bob'));
  const waiting = bob.messages.read({ fromAgent: 'Alice', waitSeconds: 25 });
  await world.clock.waitedFor(25_000);
  await rpc.as(carol).messages.send({ target: 'agent:bob', body: 'from carol' });
  await rpc.as(alice).messages.send({ target: 'agent:bob', body: 'from alice' });
  expect((await waiting).messages).toMatchObject([{ fromAgent: 'alice', body: 'from alice' }]);
  expect((await bob.messages.read({})).messages).toHaveLength(2);
});

proves('MSG-19e', 'a read that waits for one conversation is not answered by another', async ({ world, door }) => {
  const alice = door.as(await world.agent('alice'));
  const bob = await world.agent('bob');
  const first = await alice.messages.send({ target: 'agent:bob', body: 'one' });
  await alice.messages.send({ target: 'agent:bob', body: 'two' });
  const [one, two] = (await rpc.as(bob).messages.read({})).messages;
  const waiting = alice.messages.read({ inboxId: first.inboxId, waitSeconds: 25 });
  await world.clock.waitedFor(25_000);
  await rpc.as(bob).messages.send({ inboxId: two!.replyAddress, body: 'to two' });
  await rpc.as(bob).messages.send({ inboxId: one!.replyAddress, body: 'to one' });
  expect((await waiting).messages.map(({ body }) => body)).toEqual(['to one']);
});
