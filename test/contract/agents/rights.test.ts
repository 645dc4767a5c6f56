import { expect } from 'vitest';
import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import { refuses } from '../../doors/door.ts';
import { rpc } from '../../doors/rpc.ts';
import { attached } from '../../world/attached.ts';
import { proves } from '../proves.ts';

const allow = (...values: string[]) => ({ allowedConnectionIds: { values } });

proves('AGT-3a', 'registering, removing and speaking as a name need a live connection', async ({ world, door }) => {
  const alice = await world.agent('alice');
  await world.agent('bob');
  await rpc.as(await world.person()).access.revokeConnection({ connectionId: alice.connectionId });
  const hands = door.as(alice);
  await refuses(Reason.SIGNED_OUT, hands.agents.register({ agentName: 'alice' }));
  await refuses(Reason.SIGNED_OUT, hands.agents.register({ agentName: 'another' }));
  await refuses(Reason.SIGNED_OUT, hands.agents.unregister({ agentName: 'alice' }));
  await refuses(Reason.SIGNED_OUT, hands.messages.send({ target: 'agent:bob', body: 'hello' }));
  await refuses(Reason.SIGNED_OUT, hands.messages.read({}));
});

proves('AGT-3b', 'another connection uses a name only once it is allowed', async ({ world, door }) => {
  const alice = await world.agent('alice');
  await world.agent('bob');
  const other = { ...(await world.program('other')), agentName: 'alice' };
  const person = { ...(await world.person()), agentName: 'alice' };
  for (const hands of [door.as(other), door.as(person)]) {
    await refuses(Reason.NOT_ALLOWED, hands.messages.send({ target: 'agent:bob', body: 'as alice' }));
    await refuses(Reason.NOT_ALLOWED, hands.messages.read({}));
  }
  await door.as(alice).agents.register({ agentName: 'alice', ...allow(other.connectionId) });
  await door.as(other).messages.send({ target: 'agent:bob', body: 'as alice' });
  expect((await door.as(other).messages.read({})).messages).toEqual([]);
  await refuses(Reason.NOT_ALLOWED, door.as(person).messages.read({}));
});

proves('AGT-3c', 'only live connections of the account are allowed', async ({ world, door }) => {
  const alice = door.as(await world.agent('alice'));
  const person = await world.person();
  const foreign = await (await world.account('other')).program('theirs');
  const revoked = await world.program('gone');
  await rpc.as(person).access.revokeConnection({ connectionId: revoked.connectionId });
  const refusals = await Promise.all(
    [foreign.connectionId, revoked.connectionId, 'con_madeup'].map((id) =>
      refuses(Reason.NOT_FOUND, alice.agents.register({ agentName: 'alice', ...allow(id) })),
    ),
  );
  for (const { subject } of refusals) expect(subject).toBe('allowed_connection_ids');
  const { child } = await attached(person, 'bob');
  await refuses(Reason.BAD_FIELD, alice.agents.register({ agentName: 'alice', ...allow(child.connectionId) }));
  expect((await alice.agents.get({ agentName: 'alice' })).agent!.allowedConnectionIds).toEqual([]);
});

proves('AGT-3d', 'no list keeps the list, an empty one clears it', async ({ world, door }) => {
  const alice = door.as(await world.agent('alice'));
  const other = await world.program('other');
  const list = async () => (await alice.agents.get({ agentName: 'alice' })).agent!.allowedConnectionIds;
  const set = await alice.agents.register({ agentName: 'alice', ...allow(other.connectionId, other.connectionId) });
  expect(set.agent!.allowedConnectionIds).toEqual([other.connectionId]);
  await alice.agents.register({ agentName: 'alice', purpose: 'Something else.' });
  expect(await list()).toEqual([other.connectionId]);
  await alice.agents.register({ agentName: 'alice', ...allow() });
  expect(await list()).toEqual([]);
});

proves('AGT-3e', 'what is taken off the list is refused from that moment', async ({ world, door }) => {
  const alice = await world.agent('alice');
  await world.agent('bob');
  const other = { ...(await world.program('other')), agentName: 'alice' };
  await rpc.as(alice).agents.register({ agentName: 'alice', ...allow(other.connectionId) });
  await door.as(other).messages.send({ target: 'agent:bob', body: 'allowed' });
  await rpc.as(alice).agents.register({ agentName: 'alice', ...allow() });
  await refuses(Reason.NOT_ALLOWED, door.as(other).messages.send({ target: 'agent:bob', body: 'not any more' }));
  await refuses(Reason.NOT_ALLOWED, door.as(other).messages.read({}));
});

proves('AGT-3f', 'a person manages every name, a program only its own', async ({ world, door }) => {
  await world.agent('alice');
  await world.agent('bob');
  const program = await world.program('other');
  const other = door.as(program);
  const person = door.as(await world.person());
  await refuses(Reason.NOT_ALLOWED, other.agents.register({ agentName: 'alice', purpose: 'Mine now.' }));
  await refuses(Reason.NOT_ALLOWED, other.agents.register({ agentName: 'alice', ...allow(program.connectionId) }));
  await refuses(Reason.NOT_ALLOWED, other.agents.unregister({ agentName: 'alice' }));
  await person.agents.register({ agentName: 'alice', ...allow(program.connectionId) });
  await other.agents.register({ agentName: 'alice', purpose: 'Ours.' });
  await other.agents.unregister({ agentName: 'alice' });
  await person.agents.unregister({ agentName: 'bob' });
  expect((await person.agents.list({})).agents).toEqual([]);
});

proves('AGT-3f', 'a person takes the place of a registering connection that is gone', async ({ world, door }) => {
  const alice = await world.agent('alice');
  await world.agent('bob');
  const person = { ...(await world.person()), agentName: 'alice' };
  const hands = door.as(person);
  await hands.agents.register({ agentName: 'alice' });
  await refuses(Reason.NOT_ALLOWED, hands.messages.send({ target: 'agent:bob', body: 'as alice' }));
  await hands.access.revokeConnection({ connectionId: alice.connectionId });
  await refuses(Reason.NOT_ALLOWED, hands.messages.send({ target: 'agent:bob', body: 'as alice' }));
  expect((await hands.agents.register({ agentName: 'alice' })).agent!.agentId).toBe(alice.agentId);
  await hands.messages.send({ target: 'agent:bob', body: 'as alice' });
});

proves('AGT-4a', 'two clients on one allowed connection use the name side by side', async ({ world, door }) => {
  const alice = await world.agent('alice');
  const bob = door.as(await world.agent('bob'));
  const [desk, laptop] = [door.as(alice), door.as({ ...alice })];
  await desk.messages.send({ target: 'agent:bob', body: 'from the desk' });
  await laptop.messages.send({ target: 'agent:bob', body: 'from the laptop' });
  const [one, two] = (await bob.messages.read({})).messages;
  expect([one, two]).toMatchObject([{ fromAgent: 'alice' }, { fromAgent: 'alice' }]);
  await bob.messages.send({ inboxId: two!.replyAddress, body: 'to both' });
  for (const hands of [desk, laptop])
    expect((await hands.messages.read({})).messages).toMatchObject([{ body: 'to both' }]);
});

proves('AGT-9a', 'a name is found only within its own account', async ({ world, door }) => {
  const alice = door.as(await world.agent('alice'));
  const other = await world.account('other');
  const eve = door.as(await other.agent('eve'));
  await refuses(Reason.NOT_FOUND, eve.messages.send({ target: 'agent:alice', body: 'hello' }));
  await refuses(Reason.NOT_FOUND, eve.agents.get({ agentName: 'alice' }));
  await refuses(Reason.NOT_FOUND, eve.agents.unregister({ agentName: 'alice' }));
  const { suggestions } = await refuses(Reason.NOT_FOUND, eve.messages.send({ target: 'agent:alic', body: 'hello' }));
  expect(suggestions).toEqual([]);
  const { agent } = await eve.agents.register({ agentName: 'alice' });
  expect(agent!.agentId).not.toBe((await alice.agents.get({ agentName: 'alice' })).agent!.agentId);
});
