import { expect } from 'vitest';
import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import { refuses } from '../../doors/door.ts';
import { rpc } from '../../doors/rpc.ts';
import { proves } from '../proves.ts';

proves('MSG-15a', 'a message names the one it answers, and its reader sees which', async ({ world, door }) => {
  const alice = door.as(await world.agent('alice'));
  const bob = door.as(await world.agent('bob'));
  const first = await alice.messages.send({ target: 'agent:bob', body: 'one' });
  const second = await alice.messages.send({ inboxId: first.inboxId, body: 'two', inReplyTo: first.messageId });
  const messages = (await bob.messages.read({})).messages;
  expect(messages.map(({ inReplyTo }) => inReplyTo)).toEqual(['', first.messageId]);
  await bob.messages.send({ inboxId: messages[0]!.replyAddress, body: 'three', inReplyTo: second.messageId });
  expect((await alice.messages.read({})).messages).toMatchObject([{ inReplyTo: second.messageId }]);
});

proves('MSG-15b', 'only a message that this sender sent or received can be named', async ({ world, door }) => {
  const alice = rpc.as(await world.agent('alice'));
  await world.agent('bob');
  const carol = door.as(await world.agent('carol'));
  const eve = door.as(await (await world.account('other')).agent('eve'));
  await (await world.account('other')).agent('mallory');
  const { messageId } = await alice.messages.send({ target: 'agent:bob', body: 'between two' });
  const attempts = [
    () => carol.messages.send({ target: 'agent:bob', body: 'x', inReplyTo: messageId }),
    () => carol.messages.send({ target: 'agent:bob', body: 'x', inReplyTo: 'msg_madeup' }),
    () => eve.messages.send({ target: 'agent:mallory', body: 'x', inReplyTo: messageId }),
  ];
  for (const attempt of attempts)
    expect(await refuses(Reason.NOT_FOUND, attempt())).toMatchObject({ subject: 'in_reply_to' });
});

proves('MSG-15c', 'a search finds words, newest first, in pages', async ({ world, door }) => {
  const alice = rpc.as(await world.agent('alice'));
  const bob = door.as(await world.agent('bob'));
  for (const body of ['a red apple', 'a green apple', 'a red car', 'Apple pie, "still warm"'])
    await alice.messages.send({ target: 'agent:bob', body });
  const find = async (query: string, after = '') => {
    const page = await bob.messages.search({ query, after, pageSize: 2 });
    return { bodies: page.messages.map(({ body }) => body), next: page.nextCursor };
  };
  const first = await find('apple');
  const second = await find('apple', first.next);
  expect(first.bodies).toEqual(['Apple pie, "still warm"', 'a green apple']);
  expect(second.bodies).toEqual(['a red apple']);
  expect(second.next).toBe('');
  expect((await find('red -car')).bodies).toEqual(['a red apple']);
  expect((await find('"still warm"')).bodies).toEqual(['Apple pie, "still warm"']);
  expect((await find('pear')).bodies).toEqual([]);
});

proves('MSG-15c', 'a search takes any text, and is refused over its bound', async ({ world, door }) => {
  const bob = door.as(await world.agent('bob'));
  for (const query of [`'; drop table message; --`, '& | ! ( )', '"open', ':*', '-', '日本語'])
    expect((await bob.messages.search({ query })).messages).toEqual([]);
  expect(await refuses(Reason.LIMIT_EXCEEDED, bob.messages.search({ query: 'x'.repeat(257) }))).toMatchObject({
    subject: 'query',
    bound: 256,
  });
  await refuses(Reason.BAD_FIELD, bob.messages.search({ query: ' ' }));
});

proves('MSG-15d', 'a search finds nothing that the caller may not read', async ({ world, door }) => {
  const alice = rpc.as(await world.agent('alice'));
  await world.agent('bob');
  const carol = door.as(await world.agent('carol'));
  const eve = door.as(await (await world.account('other')).agent('eve'));
  const stranger = door.as(await (await world.account('other')).person());
  await alice.messages.send({ target: 'agent:bob', body: 'the password' });
  await rpc.as(await world.person()).messages.send({ target: 'agent:bob', body: 'the passphrase' });
  for (const foreign of [eve, stranger])
    expect((await foreign.messages.search({ query: 'password or passphrase' })).messages).toEqual([]);
  expect((await carol.messages.search({ query: 'password' })).messages).toEqual([]);
  expect((await alice.messages.search({ query: 'password' })).messages).toHaveLength(1);
});
