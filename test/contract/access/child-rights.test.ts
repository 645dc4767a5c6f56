import { expect, test } from 'vitest';
import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import { refuses } from '../../doors/door.ts';
import { rpc } from '../../doors/rpc.ts';
import { OauthClient } from '../../oauth/client.ts';
import type { Person } from '../../world/people.ts';
import { inWorld, type World } from '../../world/world.ts';

/** A program that was let in by OAuth, and a part of it with a connection of its own. */
async function family(world: World): Promise<{ person: Person; parentId: string; child: Person }> {
  const person = await world.person();
  await world.agent('alice');
  await world.agent('bob');
  const client = await OauthClient.register(world.url);
  const tokens = await client.tokens(person);
  const exchanged = await client.exchange(tokens.access_token, 'messages:read messages:send');
  const parent = { ...person, secret: tokens.access_token };
  const child = { ...person, secret: exchanged.body.access_token };
  const { connectionId: parentId } = await rpc.as(parent).access.whoAmI({});
  return { person, parentId, child };
}

test('ACC-2k a child may no more than what its parent has left', () =>
  inWorld(async (world) => {
    const { person, parentId, child } = await family(world);
    const { messages, agents } = rpc.as(child);
    await messages.send({ target: 'agent:bob', body: 'before' });
    const { access } = rpc.as(person);
    await access.updateConnection({ connectionId: parentId, scopes: { values: ['messages:read'] } });
    const refusal = await refuses(Reason.SCOPE_MISSING, messages.send({ target: 'agent:bob', body: 'after' }));
    expect(refusal.subject).toBe('messages:send');
    expect((await agents.list({})).agents).toHaveLength(2);
    const { connections } = await access.listConnections({});
    const shown = connections.find(({ parentConnectionId }) => parentConnectionId === parentId)!;
    expect(shown.scopes).toEqual(['messages:read']);
  }));

test('ACC-2k a child reaches nobody whom its parent no longer reaches, and what it has open ends', () =>
  inWorld(async (world) => {
    const { person, parentId, child } = await family(world);
    const { messages, agents } = rpc.as(child);
    const { inboxId } = await messages.send({ target: 'agent:bob', body: 'before' });
    await using watch = messages.watchInbox({ inboxId });
    await watch.next();
    await rpc.as(person).access.updateConnection({ connectionId: parentId, targets: { values: ['agent:alice'] } });
    expect((await watch.ended()).refusal.reason).toBe('UNAVAILABLE');
    await refuses(Reason.NOT_FOUND, messages.read({ inboxId }));
    await refuses(Reason.NOT_FOUND, messages.send({ inboxId, body: 'after' }));
    expect((await agents.list({})).agents.map(({ name }) => name)).toEqual(['alice']);
  }));
