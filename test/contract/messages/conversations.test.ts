import { expect } from 'vitest';
import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import { refuses } from '../../doors/door.ts';
import { attached } from '../../world/attached.ts';
import { proves } from '../proves.ts';

proves('MSG-2a', 'each send to a name opens a conversation of its own', async ({ world, door }) => {
  const alice = door.as(await world.agent('alice'));
  const bob = door.as(await world.agent('bob'));
  const first = await alice.messages.send({ target: 'agent:bob', body: 'one' });
  const second = await alice.messages.send({ target: 'agent:bob', body: 'two' });
  expect(second.inboxId).not.toBe(first.inboxId);
  expect(second.conversationId).not.toBe(first.conversationId);
  const { messages } = await bob.messages.read({});
  expect(new Set(messages.map(({ replyAddress }) => replyAddress)).size).toBe(2);
});

proves('MSG-2b', 'a send with an inbox id speaks from that side, in the same conversation', async ({ world, door }) => {
  const alice = door.as(await world.agent('alice'));
  const bob = door.as(await world.agent('bob'));
  const first = await alice.messages.send({ target: 'agent:bob', body: 'one' });
  const second = await alice.messages.send({ inboxId: first.inboxId, body: 'two' });
  expect(second).toMatchObject({ inboxId: first.inboxId, conversationId: first.conversationId });
  const [one, two] = (await bob.messages.read({})).messages;
  expect(two).toMatchObject({ body: 'two', fromAgent: 'alice', replyAddress: one!.replyAddress });
});

proves('MSG-2b', 'a send names either a target or an inbox, not both and not neither', async ({ world, door }) => {
  const alice = door.as(await world.agent('alice'));
  await world.agent('bob');
  const { inboxId } = await alice.messages.send({ target: 'agent:bob', body: 'one' });
  await refuses(Reason.BAD_FIELD, alice.messages.send({ target: 'agent:bob', inboxId, body: 'two' }));
  await refuses(Reason.BAD_FIELD, alice.messages.send({ body: 'two' }));
});

proves(
  'MSG-2c',
  'a reply to the reply address reaches the side that the first sender keeps',
  async ({ world, door }) => {
    const alice = door.as(await world.agent('alice'));
    const bob = door.as(await world.agent('bob'));
    const sent = await alice.messages.send({ target: 'agent:bob', body: 'one' });
    const [received] = (await bob.messages.read({})).messages;
    const reply = await bob.messages.send({ inboxId: received!.replyAddress, body: 'two' });
    expect(reply.conversationId).toBe(sent.conversationId);
    expect((await alice.messages.read({ inboxId: sent.inboxId })).messages).toMatchObject([
      { body: 'two', fromAgent: 'bob', toAgent: 'alice', replyAddress: sent.inboxId },
    ]);
  },
);

proves('MSG-2c', 'a person without a name writes and is answered by inbox', async ({ world, door }) => {
  const person = door.as(await world.person());
  const bob = door.as(await world.agent('bob'));
  const sent = await person.messages.send({ target: 'agent:bob', body: 'one' });
  const [received] = (await bob.messages.read({})).messages;
  expect(received).toMatchObject({ fromAgent: '', body: 'one' });
  await bob.messages.send({ inboxId: received!.replyAddress, body: 'two' });
  expect((await person.messages.read({ inboxId: sent.inboxId })).messages).toMatchObject([
    { body: 'two', toAgent: '' },
  ]);
});

proves('MSG-2d', 'a read of one inbox shows only that conversation', async ({ world, door }) => {
  const alice = door.as(await world.agent('alice'));
  const bob = door.as(await world.agent('bob'));
  for (const body of ['one', 'two']) await alice.messages.send({ target: 'agent:bob', body });
  const [, second] = (await bob.messages.read({})).messages;
  const { messages } = await bob.messages.read({ inboxId: second!.replyAddress });
  expect(messages.map(({ body }) => body)).toEqual(['two']);
});

proves(
  'MSG-4a',
  'any client of the account that holds an inbox id reads it and replies from it',
  async ({ world, door }) => {
    const alice = door.as(await world.agent('alice'));
    const bob = door.as(await world.agent('bob'));
    const other = door.as(await world.program('another device'));
    const sent = await alice.messages.send({ target: 'agent:bob', body: 'one' });
    const [received] = (await bob.messages.read({})).messages;
    await bob.messages.send({ inboxId: received!.replyAddress, body: 'two' });
    expect((await other.messages.read({ inboxId: sent.inboxId })).messages).toMatchObject([{ body: 'two' }]);
    await other.messages.send({ inboxId: sent.inboxId, body: 'three' });
    expect((await bob.messages.read({})).messages.at(-1)).toMatchObject({ body: 'three', fromAgent: 'alice' });
  },
);

proves(
  'MSG-4b',
  'an inbox of another account is not found, for reading and for sending alike',
  async ({ world, door }) => {
    const alice = door.as(await world.agent('alice'));
    const bob = door.as(await world.agent('bob'));
    const foreign = door.as(await (await world.account('other')).agent('eve'));
    const { inboxId } = await alice.messages.send({ target: 'agent:bob', body: 'private' });
    const read = await refuses(Reason.NOT_FOUND, foreign.messages.read({ inboxId }));
    const sent = await refuses(Reason.NOT_FOUND, foreign.messages.send({ inboxId, body: 'hello' }));
    const made = await refuses(Reason.NOT_FOUND, foreign.messages.read({ inboxId: 'inb_madeup' }));
    expect(read).toEqual(made);
    expect(sent.subject).toBe('inbox_id');
    expect((await bob.messages.read({})).messages).toHaveLength(1);
  },
);

proves(
  'MSG-4c',
  'an attached agent uses only the inboxes of its own agent',
  async ({ world, door }) => {
    const alice = door.as(await world.agent('alice'));
    await world.agent('carol');
    const { child, attachmentId } = await attached(await world.person(), 'bob');
    const bob = door.as(child);
    const { inboxId } = await alice.messages.send({ target: 'agent:carol', body: 'not for bob' });
    await refuses(Reason.NOT_FOUND, bob.messages.read({ inboxId, attachmentId }));
    await refuses(Reason.NOT_FOUND, bob.messages.send({ inboxId, body: 'hello', attachmentId }));
  },
  { doors: ['rpc', 'http'], because: 'the command line is the person’s: no command takes a child’s credential' },
);
