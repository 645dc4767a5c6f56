import { expect, test } from 'vitest';
import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import { scopes as every } from '../../../server/access/scopes.ts';
import { scopeWords } from '../../../server/oauth/scopes.ts';
import { type Door, refuses } from '../../doors/door.ts';
import { rpc } from '../../doors/rpc.ts';
import type { Person } from '../../world/people.ts';
import type { World } from '../../world/world.ts';
import { proves } from '../proves.ts';
import { noManagingTool } from '../through.ts';

/** A program on a connection that the person made through the door. */
async function programOf(
  door: Door,
  person: Person,
  may: { readonly scopes?: string[]; readonly targets?: string[] },
): Promise<Person> {
  const { connection, secret } = await door.as(person).access.createConnection({ label: 'program', ...may });
  return { ...person, secret, connectionId: connection!.connectionId };
}

const namesSeen = async (door: Door, program: Person): Promise<string[]> =>
  (await door.as(program).agents.list({})).agents.map(({ name }) => name);

proves('ACC-2e', 'a connection may what its scopes say, and is told which one it lacks', async ({ world, door }) => {
  const person = await world.person();
  await world.agent('bob');
  const reader = door.as(await programOf(door, person, { scopes: ['read'] }));
  expect((await reader.agents.list({})).agents).toHaveLength(1);
  const sending = await refuses(Reason.SCOPE_MISSING, reader.messages.send({ target: 'agent:bob', body: 'hello' }));
  expect(sending).toMatchObject({
    subject: 'messages:send',
    sentence: expect.stringContaining('--scope messages:send'),
  });
  const registering = await refuses(Reason.SCOPE_MISSING, reader.agents.register({ agentName: 'alice' }));
  expect(registering.subject).toBe('agents:register');

  const sender = door.as(await programOf(door, person, { scopes: ['messages:send'] }));
  await sender.messages.send({ target: 'agent:bob', body: 'hello' });
  expect((await refuses(Reason.SCOPE_MISSING, sender.agents.list({}))).subject).toBe('messages:read');
});

proves(
  'ACC-2e',
  'a connection without words of its own runs, and the list says what it may',
  async ({ world, door }) => {
    const { access } = door.as(await world.person());
    const run = (await access.createConnection({ label: 'usual' })).connection!;
    expect(run.scopes).toContain('messages:send');
    expect(run.scopes).not.toContain('authoring');
    const author = (await access.createConnection({ label: 'author', scopes: ['author'] })).connection!;
    expect(author.scopes).toEqual([...run.scopes, 'authoring']);
    const { connections } = await access.listConnections({});
    expect(connections.map(({ label, scopes }) => [label, scopes.length])).toEqual([
      ['author', 9],
      ['usual', 8],
      ['person', 0],
    ]);
  },
  noManagingTool,
);

proves(
  'ACC-2e',
  'what is a person’s alone is granted to nobody',
  async ({ world, door }) => {
    const { access } = door.as(await world.person());
    for (const scope of ['attach', 'connections:manage', 'everything']) {
      const refusal = await refuses(Reason.BAD_FIELD, access.createConnection({ label: 'greedy', scopes: [scope] }));
      expect(refusal).toMatchObject({ subject: 'scopes', sentence: expect.stringContaining(scope) });
    }
    const author = door.as(await programOf(door, await world.person(), { scopes: ['author'] }));
    await refuses(Reason.NOT_ALLOWED, author.access.listConnections({}));
    await refuses(Reason.NOT_ALLOWED, author.access.listAuditEvents({}));
  },
  noManagingTool,
);

test('ACC-2e what can be granted on the page is what connections can have', () => {
  expect(Object.keys(scopeWords).toSorted()).toEqual(every.toSorted());
});

proves('ACC-2f', 'nobody outside the targets can be written to or seen', async ({ world, door }) => {
  const person = await world.person();
  const [alice, bob] = [await world.agent('alice'), await world.agent('bob')];
  const program = await programOf(door, person, { targets: ['agent:Alice'] });
  const { messages, agents } = door.as(program);
  expect(await namesSeen(door, program)).toEqual(['alice']);
  const absent = await refuses(Reason.NOT_FOUND, messages.send({ target: 'agent:bobby', body: 'hello' }));
  const hidden = await refuses(Reason.NOT_FOUND, messages.send({ target: 'agent:bob', body: 'hello' }));
  expect(hidden).toEqual({ ...absent, sentence: absent.sentence.replace('bobby', 'bob') });
  expect(hidden.suggestions).toEqual([]);
  await refuses(Reason.NOT_FOUND, agents.get({ agentName: 'bob' }));

  await messages.send({ target: 'agent:alice', body: 'to alice' });
  const { recipients } = await messages.send({ target: 'agent:*', body: 'to everyone' });
  expect(recipients.map(({ agentName }) => agentName)).toEqual(['alice']);
  expect((await rpc.as(bob).messages.read({})).messages).toEqual([]);
  expect((await rpc.as(alice).messages.read({})).messages.map(({ body }) => body)).toEqual(['to alice', 'to everyone']);
});

proves('ACC-2f', 'a conversation with somebody outside the targets is not there', async ({ world, door }) => {
  const person = await world.person();
  await world.agent('alice');
  const bob = await world.agent('bob');
  const opened = await rpc.as(person).messages.send({ target: 'agent:bob', body: 'from the account' });
  const [received] = (await rpc.as(bob).messages.read({})).messages;
  const { messages } = door.as(await programOf(door, person, { targets: ['agent:alice'] }));
  for (const inboxId of [opened.inboxId, received!.replyAddress]) {
    await refuses(Reason.NOT_FOUND, messages.read({ inboxId }));
    await refuses(Reason.NOT_FOUND, messages.send({ inboxId, body: 'hello' }));
  }
  await refuses(Reason.NOT_FOUND, messages.read({ agentName: 'bob' }));
  await refuses(Reason.NOT_FOUND, messages.getReceipts({ messageId: opened.messageId }));
  const answer = { target: 'agent:alice', body: 'hello', inReplyTo: opened.messageId };
  await refuses(Reason.NOT_FOUND, messages.send(answer));
  await rpc.as(person).messages.send(answer);
  expect((await messages.search({ query: 'account' })).messages).toEqual([]);
  expect((await door.as(person).messages.search({ query: 'account' })).messages).toHaveLength(1);
});

proves('ACC-2f', 'names are registered, read and removed within the targets only', async ({ world, door }) => {
  const person = await world.person();
  const bob = await world.agent('bob');
  const carol = await world.agent('carol');
  const program = await programOf(door, person, { targets: ['agent:alice', 'agent:carol'] });
  const { agents, messages } = door.as(program);
  await agents.register({ agentName: 'alice' });
  for (const agentName of ['bob', 'dave']) {
    expect((await refuses(Reason.NOT_ALLOWED, agents.register({ agentName }))).subject).toBe('agent_name');
    await refuses(Reason.NOT_FOUND, agents.unregister({ agentName }));
    await refuses(Reason.NOT_FOUND, agents.setPurpose({ agentName, purpose: 'mine' }));
  }
  await rpc.as(bob).messages.send({ target: 'agent:alice', body: 'from outside' });
  await rpc.as(carol).messages.send({ target: 'agent:alice', body: 'from within' });
  const { messages: seen } = await messages.read({ agentName: 'alice' });
  expect(seen.map(({ body }) => body)).toEqual(['from within']);
  await agents.unregister({ agentName: 'alice' });
});

proves(
  'ACC-2f',
  'targets name agents, each once',
  async ({ world, door }) => {
    const { access } = door.as(await world.person());
    for (const target of ['bob', 'agent:*', 'crew:all', 'agent:-'])
      expect(
        (await refuses(Reason.BAD_FIELD, access.createConnection({ label: 'x', targets: [target] }))).subject,
      ).toBe('targets');
    const made = await access.createConnection({ label: 'x', targets: ['agent:Bob', 'AGENT:bob'] });
    expect(made.connection!.targets?.values).toEqual(['agent:bob']);
  },
  noManagingTool,
);

proves(
  'ACC-2g',
  'a connection is renamed and narrowed, and never widened',
  async ({ world, door }) => {
    const person = await world.person();
    const { access } = door.as(person);
    const { connectionId } = await programOf(door, person, { scopes: ['run'], targets: ['agent:alice', 'agent:bob'] });
    expect((await access.updateConnection({ connectionId, label: 'renamed' })).connection).toMatchObject({
      label: 'renamed',
      targets: { values: ['agent:alice', 'agent:bob'] },
    });
    const narrowed = await access.updateConnection({ connectionId, scopes: { values: ['read'] } });
    expect(narrowed.connection).toMatchObject({
      label: 'renamed',
      scopes: ['messages:read', 'functions:list', 'runs:read'],
      targets: { values: ['agent:alice', 'agent:bob'] },
    });
    const nobody = await access.updateConnection({ connectionId, targets: { values: [] } });
    expect(nobody.connection!.targets?.values).toEqual([]);
    expect(nobody.connection!.scopes).toHaveLength(3);

    const wider = access.updateConnection({ connectionId, scopes: { values: ['messages:send'] } });
    expect((await refuses(Reason.NOT_ALLOWED, wider)).subject).toBe('scopes');
    const further = access.updateConnection({ connectionId, targets: { values: ['agent:alice'] } });
    expect((await refuses(Reason.NOT_ALLOWED, further)).subject).toBe('targets');
  },
  noManagingTool,
);

proves(
  'ACC-2g',
  'a person’s own sign-in is not narrowed, and another account’s is not there',
  async ({ world, door }) => {
    const person = await world.person();
    const { access } = door.as(person);
    const { connectionId } = person;
    await refuses(Reason.NOT_ALLOWED, access.updateConnection({ connectionId, scopes: { values: ['read'] } }));
    expect((await access.updateConnection({ connectionId, label: 'desk' })).connection!.label).toBe('desk');
    const theirs = await (await world.account('other')).program('theirs');
    await refuses(Reason.NOT_FOUND, access.updateConnection({ connectionId: theirs.connectionId, label: 'mine' }));
  },
  noManagingTool,
);

proves('ACC-2g', 'what is narrowed is refused at the next call', async ({ world, door }) => {
  const person = await world.person();
  const bob = await world.agent('bob');
  const program = await programOf(door, person, { targets: ['agent:alice', 'agent:bob'] });
  const { messages } = door.as(program);
  const { inboxId } = await messages.send({ target: 'agent:bob', body: 'before', submissionId: 's1' });
  const [first] = (await rpc.as(bob).messages.read({})).messages;
  await rpc.as(bob).messages.send({ inboxId: first!.replyAddress, body: 'an answer' });
  expect((await messages.read({ inboxId })).messages).toHaveLength(1);

  const { connectionId } = program;
  await rpc.as(person).access.updateConnection({ connectionId, targets: { values: ['agent:alice'] } });
  await refuses(Reason.NOT_FOUND, messages.send({ target: 'agent:bob', body: 'after' }));
  await refuses(Reason.NOT_FOUND, messages.send({ target: 'agent:bob', body: 'before', submissionId: 's1' }));
  await refuses(Reason.NOT_FOUND, messages.send({ inboxId, body: 'after' }));
  await refuses(Reason.NOT_FOUND, messages.read({ inboxId }));
  expect(await namesSeen(door, program)).toEqual([]);

  await rpc.as(person).access.updateConnection({ connectionId, scopes: { values: ['messages:send'] } });
  await refuses(Reason.SCOPE_MISSING, messages.read({ inboxId }));
});

/** A watch of a directory of two, of whom one is left by the time this answers. */
async function narrowedWatch(world: World, door: Door) {
  const person = await world.person();
  await world.agent('alice');
  await world.agent('bob');
  const program = await programOf(door, person, {});
  const watch = door.as(program).agents.watchDirectory({});
  expect((await watch.next()).agents.map(({ name }) => name)).toEqual(['alice', 'bob']);
  const { connectionId } = program;
  await rpc.as(person).access.updateConnection({ connectionId, targets: { values: ['agent:alice'] } });
  return { watch, program };
}

proves(
  'ACC-2g',
  'narrowing ends what is open, to be asked for again',
  async ({ world, door }) => {
    const { watch, program } = await narrowedWatch(world, door);
    await using ending = watch;
    expect((await ending.ended()).refusal.reason).toBe('UNAVAILABLE');
    await using again = door.as(program).agents.watchDirectory({});
    expect((await again.next()).agents.map(({ name }) => name)).toEqual(['alice']);
  },
  { doors: ['rpc', 'http'], because: 'the command line asks again by itself' },
);

proves(
  'ACC-2g',
  'a watch that asks again by itself goes on with what is left',
  async ({ world, door }) => {
    const { watch } = await narrowedWatch(world, door);
    await using again = watch;
    expect((await again.next()).agents.map(({ name }) => name)).toEqual(['alice']);
  },
  { doors: ['cli'], because: 'behind the other doors it is for the caller to ask again' },
);

proves(
  'ACC-2g',
  'a new label ends nothing',
  async ({ world, door }) => {
    const person = await world.person();
    const program = await programOf(door, person, {});
    await using watch = door.as(program).agents.watchDirectory({});
    await watch.next();
    await rpc.as(person).access.updateConnection({ connectionId: program.connectionId, label: 'renamed' });
    await world.agent('alice');
    expect((await watch.next()).agents.map(({ name }) => name)).toEqual(['alice']);
  },
  noManagingTool,
);
