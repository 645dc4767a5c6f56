import { expect } from 'vitest';
import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import { Refused, refuses } from '../../doors/door.ts';
import { rpc } from '../../doors/rpc.ts';
import { beside } from '../../world/bare-node.ts';
import type { Person } from '../../world/people.ts';
import { proves } from '../proves.ts';

const many = (count: number, from = 0) => Array.from({ length: count }, (_, i) => `agent-${from + i}`);

/** Registers names through one connection, all at once. */
const fill = (person: Person, names: readonly string[]) =>
  Promise.all(names.map((agentName) => rpc.as(person).agents.register({ agentName })));

proves('AGT-1a', 'any program of the account registers a name', async ({ world, door }) => {
  const program = door.as(await world.program('script'));
  const { agent } = await program.agents.register({ agentName: 'alice', provider: 'script', purpose: 'Counts.' });
  expect(agent).toMatchObject({ name: 'alice', provider: 'script', purpose: 'Counts.' });
  expect((await program.agents.get({ agentName: 'alice' })).agent).toEqual(agent);
});

proves('AGT-1a', 'registering again keeps the identity and changes only what is given', async ({ world, door }) => {
  const program = door.as(await world.program('script'));
  const first = await program.agents.register({ agentName: 'alice', provider: 'script', purpose: 'Counts.' });
  const again = await program.agents.register({ agentName: 'ALICE', purpose: 'Counts again.' });
  expect(again.agent).toEqual({ ...first.agent, purpose: 'Counts again.' });
});

proves('AGT-1b', 'a name holds only what a name may hold', async ({ world, door }) => {
  const program = door.as(await world.program('script'));
  for (const agentName of ['two words', 'rеviewer', '.hidden', 'a/b', 'a@b', 'naïve', 'agent:bob', '*'])
    expect(await refuses(Reason.BAD_FIELD, program.agents.register({ agentName }))).toMatchObject({
      subject: 'agent_name',
    });
  const long = await refuses(Reason.LIMIT_EXCEEDED, program.agents.register({ agentName: 'a'.repeat(65) }));
  expect(long).toMatchObject({ subject: 'agent_name', bound: 64 });
  for (const agentName of ['a'.repeat(64), '0', 'A.b_c-9'])
    expect((await program.agents.register({ agentName })).agent!.name).toBe(agentName);
});

proves('AGT-1c', 'a name is found without regard to case and keeps its own', async ({ world, door }) => {
  const program = door.as(await world.program('script'));
  const { agent } = await program.agents.register({ agentName: 'ReViewer' });
  expect((await program.agents.get({ agentName: 'reviewer' })).agent).toEqual(agent);
  expect((await program.agents.list({})).agents.map(({ name }) => name)).toEqual(['ReViewer']);
  await program.agents.unregister({ agentName: 'REVIEWER' });
  expect((await program.agents.list({})).agents).toEqual([]);
});

proves('AGT-2a', 'the hundred-and-first name of an account is refused with the bound', async ({ world, door }) => {
  const program = await world.program('script');
  await fill(program, many(100));
  const agents = door.as(program).agents;
  const refusal = await refuses(Reason.LIMIT_EXCEEDED, agents.register({ agentName: 'one-more' }));
  expect(refusal).toMatchObject({ subject: 'agent_name', bound: 100 });
  await agents.register({ agentName: 'agent-7', purpose: 'There already.' });
  await agents.unregister({ agentName: 'agent-7' });
  await agents.register({ agentName: 'one-more' });
});

proves(
  'AGT-2a',
  'twenty registrations at once, on two servers, do not pass the limit',
  async ({ world }) => {
    const program = await world.program('script');
    const elsewhere = world.at(await world.secondNode(), program);
    await fill(program, many(90));
    const outcomes = await Promise.allSettled([
      ...many(10, 1_000).map((agentName) => rpc.as(program).agents.register({ agentName })),
      ...many(10, 2_000).map((agentName) => rpc.as(elsewhere).agents.register({ agentName })),
    ]);
    const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []));
    expect(refused).toHaveLength(10);
    for (const error of refused)
      expect((error as Refused).refusal).toMatchObject({ reason: 'LIMIT_EXCEEDED', bound: 100 });
    expect((await rpc.as(program).agents.list({})).agents).toHaveLength(100);
  },
  { doors: ['rpc'], because: 'the race is in the servers, behind every door' },
);

proves(
  'AGT-2b',
  'the name after the two-thousandth of a server is refused with the bound',
  async ({ world }) => {
    const program = rpc.as(await world.program('script'));
    await program.agents.register({ agentName: 'first' });
    // Twenty full accounts would take a minute to register one by one.
    await beside(
      world.where,
      `insert into agent (id, account_id, name, name_key, connection_id)
       select 'agt_' || i, 'acc_' || i % 20, 'agent-' || i, 'agent-' || i, 'con_nobody' from generate_series(1, 1999) i`,
    );
    const refusal = await refuses(Reason.LIMIT_EXCEEDED, program.agents.register({ agentName: 'one-more' }));
    expect(refusal).toMatchObject({ subject: 'agent_name', bound: 2_000 });
    await program.agents.unregister({ agentName: 'first' });
    await program.agents.register({ agentName: 'one-more' });
  },
  { doors: ['rpc'], because: 'what is counted is the server’s, behind every door' },
);

proves('AGT-2c', 'a name stays until it is unregistered, through a restart', async ({ world, door }) => {
  const alice = await world.agent('alice');
  const before = await door.as(alice).agents.get({ agentName: 'alice' });
  await world.restart();
  const again = { ...alice };
  expect((await door.as(again).agents.get({ agentName: 'alice' })).agent!.agentId).toBe(before.agent!.agentId);
  await door.as(again).agents.unregister({ agentName: 'alice' });
  await refuses(Reason.NOT_FOUND, door.as(again).agents.get({ agentName: 'alice' }));
  await refuses(Reason.NOT_FOUND, door.as(again).agents.unregister({ agentName: 'alice' }));
});

proves(
  'AGT-2d',
  'a name registered again is another identity that old mail does not reach',
  async ({ world, door }) => {
    const alice = door.as(await world.agent('alice'));
    const bob = await world.agent('bob');
    const old = await alice.messages.send({ target: 'agent:bob', body: 'for the first bob' });
    const [received] = (await door.as(bob).messages.read({})).messages;
    await door.as(bob).agents.unregister({ agentName: 'bob' });
    const { agent } = await door.as(bob).agents.register({ agentName: 'bob' });
    expect(agent!.agentId).not.toBe(bob.agentId);
    expect((await door.as(bob).messages.read({})).messages).toEqual([]);
    await refuses(Reason.NOT_FOUND, alice.messages.send({ inboxId: old.inboxId, body: 'again' }));
    await refuses(
      Reason.NOT_FOUND,
      door.as(bob).messages.send({ inboxId: received!.replyAddress, body: 'as the old' }),
    );
    await alice.messages.send({ target: 'agent:bob', body: 'for the second bob' });
    expect((await door.as(bob).messages.read({})).messages).toMatchObject([{ body: 'for the second bob' }]);
  },
);
