import { expect, test } from 'vitest';
import { Presence } from '#gen/agentworks/agents/v1/agents_pb.ts';
import { OfferOutcome } from '#gen/agentworks/agents/v1/attachments_pb.ts';
import { EvidenceKind } from '#gen/agentworks/bridge/v1/bridge_pb.ts';
import { StandingReason, Wake } from '#gen/agentworks/messages/v1/messages_pb.ts';
import type { Hands } from '../../doors/door.ts';
import { rpc } from '../../doors/rpc.ts';
import { type Attached, attached } from '../../world/attached.ts';
import { LinkedBridge } from '../../world/bridge.ts';
import type { Person } from '../../world/people.ts';
import { inWorld } from '../../world/world.ts';
import { proves } from '../proves.ts';
import { noPersonsTool } from '../through.ts';

/** Releases messages to a session by a route that starts a turn, as its bridge does. */
const offer = ({ child, attachmentId }: Attached, messageIds: string[]) =>
  rpc.as(child).attachments.claimOffer({ attachmentId, messageIds, route: 'claude-socket', wakes: true });

/** An agent whose session a wake reaches. */
async function live(person: Person, name: string): Promise<{ bridge: LinkedBridge; session: Attached }> {
  const session = await attached(person, name);
  const bridge = await LinkedBridge.open(person);
  await bridge.bind(session);
  return { bridge, session };
}

const wakeOf = async (hands: Hands, input: Parameters<Hands['messages']['send']>[0]) =>
  (await hands.messages.send(input)).recipients[0]!.wake;

/** Sends until somebody has answered to the last message so often, and answers the last message's id. */
async function answerOnAndOn(
  world: { agent(name: string): Promise<Person> },
  hops: number,
  hands: (p: Person) => Hands,
) {
  const two = [hands(await world.agent('alice')), hands(await world.agent('carol'))];
  let inReplyTo = '';
  for (let hop = 1; hop <= hops; hop++) {
    const target = hop % 2 === 1 ? 'agent:carol' : 'agent:alice';
    inReplyTo = (await two[(hop + 1) % 2]!.messages.send({ target, body: `hop ${hop}`, inReplyTo })).messageId;
  }
  return { inReplyTo, last: two[(hops + 1) % 2]!, next: two[hops % 2]! };
}

proves('MSG-17a', 'an answer to what was offered is one hop further', async ({ world, door }) => {
  const person = await world.person();
  const [alice, bob] = [door.as(await world.agent('alice')), door.as(await world.agent('bob'))];
  const [aliceAt, bobAt] = [await attached(person, 'alice'), await attached(person, 'bob')];
  const first = await alice.messages.send({ target: 'agent:bob', body: 'one' });
  const [received] = (await bob.messages.read({})).messages;
  await bob.messages.send({ inboxId: received!.replyAddress, body: 'unasked' });
  await offer(bobAt, [first.messageId]);
  const second = await bob.messages.send({ inboxId: received!.replyAddress, body: 'two' });
  await offer(aliceAt, [second.messageId]);
  await alice.messages.send({ inboxId: first.inboxId, body: 'three' });
  expect((await alice.messages.read({})).messages.map(({ body, hop }) => [body, hop])).toEqual([
    ['unasked', 1],
    ['two', 2],
  ]);
  expect((await bob.messages.read({})).messages.map(({ body, hop }) => [body, hop])).toEqual([
    ['one', 1],
    ['three', 3],
  ]);
});

proves('MSG-17a', 'an answer in another conversation counts from what it answers', async ({ world, door }) => {
  const { inReplyTo, next } = await answerOnAndOn(world, 3, (person) => door.as(person));
  await next.messages.send({ target: 'agent:alice', body: 'hop 4', inReplyTo });
  const { messages } = await next.messages.search({ query: 'hop' });
  expect(messages.map(({ body, hop }) => `${body}=${hop}`).toSorted()).toEqual([
    'hop 1=1',
    'hop 2=2',
    'hop 3=3',
    'hop 4=4',
  ]);
});

proves('MSG-17b', 'a turn of the person begins the count anew', async ({ world, door }) => {
  const person = await world.person();
  const alice = door.as(await world.agent('alice'));
  const bob = door.as(await world.agent('bob'));
  const { bridge, session } = await live(person, 'bob');
  await using link = bridge;
  const first = await alice.messages.send({ target: 'agent:bob', body: 'one' });
  await offer(session, [first.messageId]);
  const inboxId = (await bob.messages.read({})).messages[0]!.replyAddress;
  await bob.messages.send({ inboxId, body: 'two' });
  link.show(EvidenceKind.PERSON_TURN, session);
  await until(async () => {
    const { attachments } = await rpc.as(person).attachments.listAttachments({});
    return attachments[0]!.personTurnTime !== undefined;
  });
  await bob.messages.send({ inboxId, body: 'three' });
  expect((await alice.messages.read({})).messages.map(({ hop }) => hop)).toEqual([2, 1]);
});

proves(
  'MSG-17c',
  'beyond 8 hops a message is stored, wakes nobody, and the sender is told',
  async ({ world, door }) => {
    const person = await world.person();
    const { inReplyTo, next } = await answerOnAndOn(world, 8, (who) => door.as(who));
    await world.agent('bob');
    const { bridge, session } = await live(person, 'bob');
    await using _ = bridge;
    expect(await wakeOf(next, { target: 'agent:bob', body: 'fresh' })).toBe(Wake.EXPECTED);
    const ninth = await next.messages.send({ target: 'agent:bob', body: 'hop 9', inReplyTo });
    expect(ninth.recipients).toMatchObject([{ recipientState: Presence.LIVE, wake: Wake.REFUSED_HOPS }]);
    expect((await offer(session, [ninth.messageId])).offers[0]!.outcome).toBe(OfferOutcome.NO_WAKE);
    const { receipts } = await next.messages.getReceipts({ messageId: ninth.messageId });
    expect(receipts[0]!.reason).toBe(StandingReason.WAKE_REFUSED);
    const child = rpc.as(session.child).messages;
    const { messages } = await child.read({ attachmentId: session.attachmentId });
    expect(messages.map(({ body }) => body)).toEqual(['fresh', 'hop 9']);
  },
);

proves('MSG-17d', 'beyond 20 wakes of one agent by another in ten minutes nobody is woken', async ({ world, door }) => {
  const person = await world.person();
  const alice = door.as(await world.agent('alice'));
  const carol = door.as(await world.agent('carol'));
  const { bridge, session } = await live(person, 'bob');
  await using _ = bridge;
  for (let n = 1; n <= 20; n++) {
    const sent = await send(alice, n);
    expect(sent.recipients[0]!.wake).toBe(Wake.EXPECTED);
    expect((await offer(session, [sent.messageId])).offers[0]!.outcome).toBe(OfferOutcome.GRANTED);
  }
  const refused = await send(alice, 21);
  expect(refused.recipients[0]!.wake).toBe(Wake.REFUSED_PAIR);
  expect((await offer(session, [refused.messageId])).offers[0]!.outcome).toBe(OfferOutcome.NO_WAKE);
  expect(await wakeOf(carol, { target: 'agent:bob', body: 'from another' })).toBe(Wake.EXPECTED);
});

/** One of many alike. */
const send = (hands: Hands, n: number) => hands.messages.send({ target: 'agent:bob', body: String(n) });

test(
  'MSG-17e beyond 600 wakes of the account in an hour nobody is woken',
  () =>
    inWorld(async (world) => {
      const person = await world.person();
      const hands = rpc.as(person);
      const { bridge, session } = await live(person, 'bob');
      await using _ = bridge;
      const names = Array.from({ length: 31 }).map((__, n) => `agent-${n}`);
      for (const agentName of names) await hands.agents.register({ agentName });
      for (const agentName of names.slice(0, 30)) {
        const message = { agentName, target: 'agent:bob', body: 'x' };
        const sent = await Promise.all(Array.from({ length: 20 }, () => hands.messages.send(message)));
        await Promise.all(sent.map(({ messageId }) => offer(session, [messageId])));
      }
      const last = await hands.messages.send({ agentName: 'agent-30', target: 'agent:bob', body: 'x' });
      expect(last.recipients[0]!.wake).toBe(Wake.REFUSED_ACCOUNT);
      expect((await offer(session, [last.messageId])).offers[0]!.outcome).toBe(OfferOutcome.NO_WAKE);
    }),
  60_000,
);

proves(
  'MSG-17f, MSG-17g',
  'the directory says that wakes are refused, and the person lets them begin anew',
  async ({ world, door }) => {
    const person = await world.person();
    const alice = rpc.as(await world.agent('alice'));
    const { bridge, session } = await live(person, 'bob');
    await using _ = bridge;
    const ids: string[] = [];
    for (let n = 1; n <= 21; n++) ids.push((await send(alice, n)).messageId);
    for (const id of ids) await offer(session, [id]);
    const hands = door.as(person);
    const bob = async () => (await hands.agents.get({ agentName: 'bob' })).agent!;
    expect((await bob()).wakeRefusal).toMatch(/\w+ \w+/);
    await hands.agents.resetWakeBudget({ agentName: 'bob' });
    expect((await bob()).wakeRefusal).toBe('');
    expect((await send(alice, 22)).recipients[0]!.wake).toBe(Wake.EXPECTED);
    const child = rpc.as(session.child).messages;
    expect((await child.read({ attachmentId: session.attachmentId })).messages).toHaveLength(22);
  },
  noPersonsTool,
);

proves('MSG-17g', 'after the person let wakes begin anew, lineage begins anew too', async ({ world, door }) => {
  const person = await world.person();
  const { inReplyTo, next } = await answerOnAndOn(world, 8, (who) => door.as(who));
  await world.agent('bob');
  const { bridge } = await live(person, 'bob');
  await using _ = bridge;
  const ninth = { target: 'agent:bob', body: 'hop 9', inReplyTo };
  expect(await wakeOf(next, ninth)).toBe(Wake.REFUSED_HOPS);
  await door.as(person).agents.resetWakeBudget({});
  expect(await wakeOf(next, ninth)).toBe(Wake.EXPECTED);
});

proves(
  'MSG-17h',
  'a message that asks for no wake is stored without one, and the answer says so',
  async ({ world, door }) => {
    const alice = door.as(await world.agent('alice'));
    const { bridge, session } = await live(await world.person(), 'bob');
    await using _ = bridge;
    const sent = await alice.messages.send({ target: 'agent:bob', body: 'noted', noWake: true });
    expect(sent.recipients[0]!.wake).toBe(Wake.NOT_ASKED);
    expect((await offer(session, [sent.messageId])).offers[0]!.outcome).toBe(OfferOutcome.NO_WAKE);
    const { receipts } = await alice.messages.getReceipts({ messageId: sent.messageId });
    expect(receipts[0]!.reason).toBe(StandingReason.NO_WAKE);
  },
);

test('MSG-17i hops and wakes are settings of the server', () =>
  inWorld(
    async (world) => {
      const person = await world.person();
      const { inReplyTo, next } = await answerOnAndOn(world, 2, (who) => rpc.as(who));
      const { bridge, session } = await live(person, 'bob');
      await using _ = bridge;
      expect(await wakeOf(next, { target: 'agent:bob', body: 'x', inReplyTo })).toBe(Wake.REFUSED_HOPS);
      const one = await next.messages.send({ target: 'agent:bob', body: 'x' });
      await offer(session, [one.messageId]);
      expect(await wakeOf(next, { target: 'agent:bob', body: 'x' })).toBe(Wake.REFUSED_PAIR);
    },
    { AGENTWORKS_HOPS: '2', AGENTWORKS_WAKES_PER_PAIR: '1', AGENTWORKS_WAKES_PER_ACCOUNT: '3' },
  ));

/** Evidence is not answered: looks until it shows. */
async function until(shows: () => Promise<boolean>): Promise<void> {
  while (!(await shows())) await new Promise((next) => setTimeout(next, 10));
}
