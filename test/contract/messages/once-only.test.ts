import { expect } from 'vitest';
import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import { refuses } from '../../doors/door.ts';
import { rpc } from '../../doors/rpc.ts';
import { proves } from '../proves.ts';

const one = { target: 'agent:bob', body: 'one', submissionId: 's1' };

proves('MSG-3a', 'the same submission answers the same ids and stores one message', async ({ world, door }) => {
  const alice = door.as(await world.agent('alice'));
  const bob = door.as(await world.agent('bob'));
  const first = await alice.messages.send(one);
  const again = await alice.messages.send(one);
  expect(again).toMatchObject({
    inboxId: first.inboxId,
    conversationId: first.conversationId,
    messageId: first.messageId,
  });
  expect((await bob.messages.read({})).messages).toHaveLength(1);
});

proves('MSG-3a', 'without a submission id a second send is a second message', async ({ world, door }) => {
  const alice = door.as(await world.agent('alice'));
  const bob = door.as(await world.agent('bob'));
  for (let n = 0; n < 2; n++) await alice.messages.send({ target: 'agent:bob', body: 'one' });
  expect((await bob.messages.read({})).messages).toHaveLength(2);
});

proves('MSG-3b', 'twenty equal sends at once store one message and answer alike', async ({ world, door }) => {
  const alice = door.as(await world.agent('alice'));
  const bob = door.as(await world.agent('bob'));
  const all = await Promise.all(Array.from({ length: 20 }, () => alice.messages.send(one)));
  expect(new Set(all.map(({ messageId, inboxId }) => `${messageId} ${inboxId}`)).size).toBe(1);
  expect((await bob.messages.read({})).messages).toHaveLength(1);
});

proves('MSG-3c', 'after a restart the same submission still answers the first result', async ({ world, door }) => {
  const alice = await world.agent('alice');
  const bob = await world.agent('bob');
  const first = await door.as(alice).messages.send(one);
  await world.restart();
  expect((await door.as({ ...alice }).messages.send(one)).messageId).toBe(first.messageId);
  expect((await door.as({ ...bob }).messages.read({})).messages).toHaveLength(1);
});

proves(
  'MSG-3d',
  'the same submission with other content is a conflict that names the first',
  async ({ world, door }) => {
    const alice = door.as(await world.agent('alice'));
    const bob = door.as(await world.agent('bob'));
    await world.agent('carol');
    const first = await alice.messages.send(one);
    const others = [
      { ...one, body: 'two' },
      { ...one, target: 'agent:carol' },
      { ...one, contentType: 'text/markdown' },
      { ...one, metadata: { n: 1 } },
      { ...one, noWake: true },
    ];
    for (const other of others) {
      const refusal = await refuses(Reason.SUBMISSION_CONFLICT, alice.messages.send(other));
      expect(refusal.subject).toBe(first.messageId);
      expect(refusal.sentence).toContain(first.conversationId);
    }
    expect((await bob.messages.read({})).messages).toHaveLength(1);
  },
);

proves('MSG-3e', 'another sender’s equal submission id is another message', async ({ world, door }) => {
  const alice = door.as(await world.agent('alice'));
  const carol = door.as(await world.agent('carol'));
  const person = door.as(await world.person());
  const bob = door.as(await world.agent('bob'));
  const sent = [await alice.messages.send(one), await carol.messages.send(one), await person.messages.send(one)];
  expect(new Set(sent.map(({ messageId }) => messageId)).size).toBe(3);
  expect((await bob.messages.read({})).messages).toHaveLength(3);
});

proves('MSG-3e', 'a new credential of the same agent is no other sender', async ({ world, door }) => {
  const alice = await world.agent('alice');
  await world.agent('bob');
  const first = await door.as(alice).messages.send(one);
  const device = await world.program('second device');
  const allowedConnectionIds = { values: [device.connectionId] };
  await rpc.as(alice).agents.register({ agentName: 'alice', allowedConnectionIds });
  const again = await door.as(device).messages.send({ ...one, agentName: 'alice' });
  expect(again.messageId).toBe(first.messageId);
});

proves('MSG-3f', 'the target’s case and defaults written out make no other content', async ({ world, door }) => {
  const alice = door.as(await world.agent('alice'));
  await world.agent('bob');
  const first = await alice.messages.send({ ...one, metadata: { a: 1, b: { c: 2, d: 3 } } });
  const again = await alice.messages.send({
    ...one,
    target: 'agent:BOB',
    contentType: 'text/plain',
    metadata: { b: { d: 3, c: 2 }, a: 1 },
  });
  expect(again.messageId).toBe(first.messageId);
});

proves('MSG-3i', 'a retry is answered as before when the recipient was unregistered since', async ({ world, door }) => {
  const alice = door.as(await world.agent('alice'));
  const bob = await world.agent('bob');
  const first = await alice.messages.send(one);
  await rpc.as(bob).agents.unregister({ agentName: 'bob' });
  expect((await alice.messages.send(one)).messageId).toBe(first.messageId);
  await refuses(Reason.NOT_FOUND, alice.messages.send({ ...one, submissionId: 's2' }));
});
