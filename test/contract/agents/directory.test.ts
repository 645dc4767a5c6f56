import { expect } from 'vitest';
import { Presence } from '#gen/agentworks/agents/v1/agents_pb.ts';
import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import { refuses } from '../../doors/door.ts';
import { rpc } from '../../doors/rpc.ts';
import { attached } from '../../world/attached.ts';
import type { Person } from '../../world/people.ts';
import { proves } from '../proves.ts';
import { noPersonsTool, noStreamingTool } from '../through.ts';

proves('AGT-6a', 'the directory lists names with provider, purpose, reach and last seen', async ({ world, door }) => {
  const bob = door.as(await world.agent('bob'));
  await rpc.as(await world.program('script')).agents.register({
    agentName: 'Alice',
    provider: 'script',
    purpose: 'Counts.',
  });
  const [alice, bobs] = (await bob.agents.list({})).agents;
  expect(alice).toMatchObject({ name: 'Alice', provider: 'script', purpose: 'Counts.', route: '', wakeRefusal: '' });
  expect(alice!.createTime).toBeDefined();
  expect(alice!.lastSeenTime).toBeUndefined();
  expect(bobs).toMatchObject({ name: 'bob', provider: '', purpose: '' });
});

proves('AGT-6a', 'the directory is read page by page, by name', async ({ world, door }) => {
  for (const name of ['delta', 'Alpha', 'charlie', 'Bravo', 'echo']) await world.agent(name);
  const { agents } = door.as(await world.person());
  const seen: string[] = [];
  let after = '';
  do {
    const page = await agents.list({ after, pageSize: 2 });
    seen.push(...page.agents.map(({ name }) => name));
    after = page.nextCursor;
  } while (after !== '');
  expect(seen).toEqual(['Alpha', 'Bravo', 'charlie', 'delta', 'echo']);
});

proves(
  'AGT-6b',
  'an agent nobody is attached under is mailbox-only',
  async ({ world, door }) => {
    const alice = door.as(await world.agent('alice'));
    expect((await alice.agents.get({ agentName: 'alice' })).agent!.presence).toBe(Presence.MAILBOX_ONLY);
  },
  noPersonsTool,
);

proves('AGT-6d', 'the directory shows nothing of another account', async ({ world, door }) => {
  await world.agent('alice');
  const other = await world.account('other');
  const eve = door.as(await other.agent('eve'));
  expect((await eve.agents.list({})).agents.map(({ name }) => name)).toEqual(['eve']);
  const found = await refuses(Reason.NOT_FOUND, eve.agents.get({ agentName: 'alice' }));
  const made = await refuses(Reason.NOT_FOUND, eve.agents.get({ agentName: 'alicX' }));
  expect(found.sentence.replace('alice', '')).toBe(made.sentence.replace('alicX', ''));
});

proves(
  'AGT-6e',
  'a watch shows everything first, then each change',
  async ({ world, door }) => {
    const alice = await world.agent('alice');
    const person = await world.person();
    await using watch = door.as(person).agents.watchDirectory({});
    expect((await watch.next()).agents.map(({ name }) => name)).toEqual(['alice']);
    const bob = await world.agent('bob');
    expect(await watch.next()).toMatchObject({ agents: [{ agentId: bob.agentId, name: 'bob' }], removedAgentIds: [] });
    await rpc.as(bob).agents.register({ agentName: 'bob', purpose: 'Counts.' });
    expect((await watch.next()).agents).toMatchObject([{ name: 'bob', purpose: 'Counts.' }]);
    await attached(person, 'bob');
    expect((await watch.next()).agents).toMatchObject([{ name: 'bob', presence: Presence.OFFLINE }]);
    await rpc.as(alice).agents.unregister({ agentName: 'alice' });
    expect(await watch.next()).toMatchObject({ agents: [], removedAgentIds: [alice.agentId] });
  },
  noStreamingTool,
);

proves(
  'AGT-6e',
  'a change on another server is shown too',
  async ({ world, door }) => {
    const person = await world.person();
    const elsewhere = world.at(await world.secondNode(), await world.program('script'));
    await using watch = door.as(person).agents.watchDirectory({});
    expect((await watch.next()).agents).toEqual([]);
    await rpc.as(elsewhere).agents.register({ agentName: 'bob' });
    expect((await watch.next()).agents).toMatchObject([{ name: 'bob' }]);
  },
  noStreamingTool,
);

proves(
  'AGT-6e',
  'a watch ends when the right to see it ends',
  async ({ world, door }) => {
    const program = await world.program('script');
    await using watch = door.as(program).agents.watchDirectory({});
    await watch.next();
    await rpc.as(await world.person()).access.revokeConnection({ connectionId: program.connectionId });
    expect((await watch.ended()).refusal.reason).toBe('SIGNED_OUT');
  },
  noStreamingTool,
);

proves('AGT-9b', 'names and messages survive a restart of the server', async ({ world, door }) => {
  const alice = await world.agent('alice');
  const bob = await world.agent('bob');
  await door.as(alice).messages.send({ target: 'agent:bob', body: 'before' });
  const list = async (person: Person) =>
    // When somebody was seen is written a moment later, so it is left out.
    (await door.as(person).agents.list({})).agents.map(({ agentId, name, createTime }) => [agentId, name, createTime]);
  const before = await list(alice);
  await world.restart();
  expect(await list({ ...alice })).toEqual(before);
  expect((await door.as({ ...bob }).messages.read({})).messages).toMatchObject([{ body: 'before' }]);
});
