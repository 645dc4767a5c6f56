import { expect } from 'vitest';
import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import { Wake } from '#gen/agentworks/messages/v1/messages_pb.ts';
import { type Hands, refuses } from '../../doors/door.ts';
import { rpc } from '../../doors/rpc.ts';
import { proves } from '../proves.ts';
import { toolPagesFit } from '../through.ts';

proves('MSG-5a', 'reading consumes nothing: the same read gives the same messages', async ({ world, door }) => {
  const alice = door.as(await world.agent('alice'));
  const bob = door.as(await world.agent('bob'));
  for (const body of ['one', 'two']) await alice.messages.send({ target: 'agent:bob', body });
  const first = await bob.messages.read({});
  const [again, another] = await Promise.all([bob.messages.read({}), bob.messages.read({})]);
  expect(first.messages).toHaveLength(2);
  expect(again).toEqual(first);
  expect(another).toEqual(first);
});

proves('MSG-5b', 'a cursor leads on from where its page ended, and 0 is the start', async ({ world, door }) => {
  const alice = door.as(await world.agent('alice'));
  const bob = door.as(await world.agent('bob'));
  for (const body of ['one', 'two', 'three']) await alice.messages.send({ target: 'agent:bob', body });
  const bodies = async (input: { after: string; pageSize?: number }) => {
    const page = await bob.messages.read(input);
    return { seen: page.messages.map(({ body }) => body), next: page.nextCursor };
  };
  const first = await bodies({ after: '0', pageSize: 2 });
  const second = await bodies({ after: first.next });
  const third = await bodies({ after: second.next });
  expect([first.seen, second.seen, third.seen]).toEqual([['one', 'two'], ['three'], []]);
  expect((await bodies({ after: '' })).seen).toEqual(['one', 'two', 'three']);
  await alice.messages.send({ target: 'agent:bob', body: 'four' });
  expect((await bodies({ after: third.next })).seen).toEqual(['four']);
});

proves(
  'MSG-5c',
  'a page holds at most 100 messages, oldest first',
  async ({ world, door }) => {
    const alice = rpc.as(await world.agent('alice'));
    const bob = door.as(await world.agent('bob'));
    for (let n = 0; n < 105; n++) await alice.messages.send({ target: 'agent:bob', body: String(n) });
    const page = await bob.messages.read({});
    expect(page.messages.map(({ body }) => body)).toEqual(Array.from({ length: 100 }, (_, n) => String(n)));
    const rest = await bob.messages.read({ after: page.nextCursor, pageSize: 100 });
    expect(rest.messages.map(({ body }) => body)).toEqual(['100', '101', '102', '103', '104']);
    expect(await refuses(Reason.LIMIT_EXCEEDED, bob.messages.read({ pageSize: 101 }))).toMatchObject({
      subject: 'page_size',
      bound: 100,
    });
  },
  toolPagesFit,
);

proves('MSG-5d', 'a read that waits is answered as soon as a message comes', async ({ world, door }) => {
  const alice = rpc.as(await world.agent('alice'));
  const bob = door.as(await world.agent('bob'));
  const waiting = bob.messages.read({ waitSeconds: 25 });
  await world.clock.waitedFor(25_000);
  await alice.messages.send({ target: 'agent:bob', body: 'here' });
  expect((await waiting).messages).toMatchObject([{ body: 'here' }]);
});

proves(
  'MSG-5e',
  'a read that waited in vain answers an empty page and a cursor that goes on',
  async ({ world, door }) => {
    const alice = rpc.as(await world.agent('alice'));
    const bob = door.as(await world.agent('bob'));
    const waiting = bob.messages.read({ waitSeconds: 25 });
    await world.clock.waitedFor(25_000);
    world.clock.pass(25_000);
    const page = await waiting;
    expect(page.messages).toEqual([]);
    await alice.messages.send({ target: 'agent:bob', body: 'later' });
    expect((await bob.messages.read({ after: page.nextCursor })).messages).toMatchObject([{ body: 'later' }]);
    expect(await refuses(Reason.LIMIT_EXCEEDED, bob.messages.read({ waitSeconds: 26 }))).toMatchObject({
      subject: 'wait_seconds',
      bound: 25,
    });
  },
);

/** Pages through a mailbox until `count` messages were seen. */
async function pageThrough(reader: Hands, count: number): Promise<string[]> {
  const seen: string[] = [];
  for (let after = '0'; seen.length < count;) {
    const page = await reader.messages.read({ after, pageSize: 7 });
    seen.push(...page.messages.map(({ body }) => body));
    after = page.nextCursor;
  }
  return seen;
}

proves('MSG-5f', 'a reader that pages while many write misses nothing and repeats nothing', async ({ world, door }) => {
  const [writers, each] = [8, 25];
  const bob = door.as(await world.agent('bob'));
  const names = Array.from({ length: writers }, (_, n) => `writer-${n}`);
  const write = async (name: string) => {
    const hands = rpc.as(await world.agent(name));
    for (let n = 0; n < each; n++) await hands.messages.send({ target: 'agent:bob', body: `${name} ${n}` });
  };
  const [seen] = await Promise.all([pageThrough(bob, writers * each), ...names.map(write)]);
  expect(new Set(seen).size).toBe(writers * each);
  expect(seen).toHaveLength(writers * each);
  for (const name of names)
    expect(seen.filter((body) => body.startsWith(`${name} `))).toEqual(
      Array.from({ length: each }, (_, n) => `${name} ${n}`),
    );
});

proves(
  'AGT-5a',
  'a mailbox shows all its conversations, first contacts too, each with an address',
  async ({ world, door }) => {
    const alice = door.as(await world.agent('alice'));
    const carol = door.as(await world.agent('carol'));
    const bob = door.as(await world.agent('bob'));
    const first = await alice.messages.send({ target: 'agent:bob', body: 'from alice' });
    const contact = await carol.messages.send({ target: 'agent:bob', body: 'first contact' });
    await alice.messages.send({ inboxId: first.inboxId, body: 'more from alice' });
    const { messages } = await bob.messages.read({});
    expect(messages.map(({ body }) => body)).toEqual(['from alice', 'first contact', 'more from alice']);
    expect(messages[2]!.replyAddress).toBe(messages[0]!.replyAddress);
    await bob.messages.send({ inboxId: messages[1]!.replyAddress, body: 'to carol' });
    expect((await carol.messages.read({ inboxId: contact.inboxId })).messages).toMatchObject([{ body: 'to carol' }]);
  },
);

proves('RCP-2b', 'a name that nobody is attached under reads what was sent to it', async ({ world, door }) => {
  const alice = door.as(await world.agent('alice'));
  const bob = door.as(await world.agent('bob'));
  const { recipients } = await alice.messages.send({ target: 'agent:bob', body: 'hello' });
  expect(recipients[0]!.wake).toBe(Wake.MAILBOX_ONLY);
  expect((await bob.messages.read({})).messages).toMatchObject([{ body: 'hello' }]);
});
