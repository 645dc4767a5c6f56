import { expect } from 'vitest';
import { ConnectionKind } from '#gen/agentworks/access/v1/access_pb.ts';
import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import { refuses } from '../../doors/door.ts';
import { rpc } from '../../doors/rpc.ts';
import { attached } from '../../world/attached.ts';
import { proves } from '../proves.ts';
import { noManagingTool } from '../through.ts';

const HOUR = 3_600_000;

proves(
  'ACC-2a',
  'a person makes, lists and revokes connections, each with a public id',
  async ({ world, door }) => {
    const person = await world.person();
    const { access } = door.as(person);
    const made = await access.createConnection({ label: 'nightly', expireSeconds: 3600n });
    const program = { ...person, secret: made.secret, connectionId: made.connection!.connectionId };
    const { connections } = await access.listConnections({});
    expect(connections.map(({ label, kind, current }) => ({ label, kind, current }))).toEqual([
      { label: 'nightly', kind: ConnectionKind.SERVICE, current: false },
      { label: 'person', kind: ConnectionKind.LOGIN, current: true },
    ]);
    const { createTime, expireTime, revokeTime } = connections[0]!;
    expect(Number(expireTime!.seconds - createTime!.seconds)).toBe(3600);
    expect(revokeTime).toBeUndefined();
    expect(await rpc.as(program).access.whoAmI({})).toMatchObject({
      accountName: 'local',
      connectionId: program.connectionId,
      kind: ConnectionKind.SERVICE,
    });

    const answer = await access.revokeConnection({ connectionId: program.connectionId });
    expect(answer.revokedConnectionIds).toEqual([program.connectionId]);
    expect((await access.listConnections({})).connections.map(({ label }) => label)).toEqual(['person']);
    const all = await access.listConnections({ includeEnded: true });
    expect(all.connections.map(({ label, revokeTime: ended }) => [label, ended !== undefined])).toEqual([
      ['nightly', true],
      ['person', false],
    ]);
  },
  noManagingTool,
);

proves(
  'ACC-2a',
  'a public id opens nothing',
  async ({ world, door }) => {
    const person = await world.person();
    const thief = { ...person, secret: person.connectionId };
    await refuses(Reason.SIGNED_OUT, door.as(thief).agents.list({}));
  },
  { doors: ['rpc', 'http'], because: 'the command line keeps only what a login or a token gave it' },
);

proves(
  'ACC-2a',
  'connections are listed newest first, page by page',
  async ({ world, door }) => {
    const { access } = door.as(await world.person());
    for (const label of ['one', 'two', 'three', 'four']) await access.createConnection({ label });
    const seen: string[] = [];
    let after = '';
    do {
      const page = await access.listConnections({ after, pageSize: 2 });
      expect(page.connections.length).toBeLessThanOrEqual(2);
      seen.push(...page.connections.map(({ label }) => label));
      after = page.nextCursor;
    } while (after !== '');
    expect(seen).toEqual(['four', 'three', 'two', 'one', 'person']);
  },
  noManagingTool,
);

proves(
  'ACC-2a',
  'another account’s connections are not there',
  async ({ world, door }) => {
    const { access } = door.as(await world.person());
    const theirs = await (await world.account('other')).person();
    await refuses(Reason.NOT_FOUND, access.revokeConnection({ connectionId: theirs.connectionId }));
    await refuses(Reason.NOT_FOUND, access.revokeConnection({ connectionId: 'con_madeup' }));
    expect((await access.listConnections({ includeEnded: true })).connections).toHaveLength(1);
    expect((await rpc.as(theirs).access.whoAmI({})).accountName).toBe('other');
  },
  noManagingTool,
);

proves(
  'ACC-2a',
  'who revokes their own connection is told so, and a repeat answers the same',
  async ({ world, door }) => {
    const [first, second] = [await world.person(), await world.person()];
    const { access } = door.as(first);
    const ended = { revokedConnectionIds: [first.connectionId] };
    expect(await access.revokeConnection({ connectionId: first.connectionId })).toMatchObject(ended);
    await refuses(Reason.SIGNED_OUT, access.listConnections({}));
    expect(await rpc.as(second).access.revokeConnection({ connectionId: first.connectionId })).toMatchObject(ended);
  },
  noManagingTool,
);

proves(
  'ACC-2b',
  'a revoked connection is refused at its next call',
  async ({ world, door }) => {
    const person = await world.person();
    const program = await world.program('program');
    const { agents } = door.as(program);
    await agents.list({});
    await rpc.as(person).access.revokeConnection({ connectionId: program.connectionId });
    await refuses(Reason.SIGNED_OUT, agents.list({}));
  },
  noManagingTool,
);

proves(
  'ACC-2b',
  'an expired connection is refused at its next call',
  async ({ world, door }) => {
    const person = await world.person();
    const made = await rpc.as(person).access.createConnection({ label: 'brief', expireSeconds: 1n });
    const { agents } = door.as({ ...person, secret: made.secret, connectionId: made.connection!.connectionId });
    await expect.poll(() => agents.list({}).catch(() => 'refused'), { timeout: 5_000 }).toBe('refused');
    await refuses(Reason.SIGNED_OUT, agents.list({}));
  },
  noManagingTool,
);

proves(
  'ACC-2b',
  'a child is refused as soon as its parent is revoked, and its lease has ended',
  async ({ world, door }) => {
    const [parent, other] = [await world.person(), await world.person()];
    const { child } = await attached(parent, 'alice');
    expect(await door.as(child).access.whoAmI({})).toMatchObject({ kind: ConnectionKind.CHILD, agentName: 'alice' });
    const answer = await rpc.as(other).access.revokeConnection({ connectionId: parent.connectionId });
    expect(answer.revokedConnectionIds).toEqual([parent.connectionId, child.connectionId]);
    await refuses(Reason.SIGNED_OUT, door.as(child).access.whoAmI({}));
    expect((await rpc.as(other).attachments.listAttachments({})).attachments).toEqual([]);
  },
  noManagingTool,
);

proves(
  'ACC-2c',
  'a revocation ends open streams at once',
  async ({ world, door }) => {
    const person = await world.person();
    const alice = await world.agent('alice');
    await using watch = door.as(alice).messages.watchMailbox({});
    await watch.next();
    await rpc.as(person).access.revokeConnection({ connectionId: alice.connectionId });
    expect((await watch.ended()).refusal.reason).toBe('SIGNED_OUT');
  },
  noManagingTool,
);

proves(
  'ACC-2c',
  'a revocation ends the streams of the children at once',
  async ({ world, door }) => {
    const [parent, other] = [await world.person(), await world.person()];
    const { child, attachmentId } = await attached(parent, 'alice');
    await using watch = door.as(child).messages.watchMailbox({ attachmentId });
    await watch.next();
    await rpc.as(other).access.revokeConnection({ connectionId: parent.connectionId });
    expect((await watch.ended()).refusal.reason).toBe('SIGNED_OUT');
  },
  noManagingTool,
);

proves(
  'ACC-2c',
  'a stream does not outlive the time of its connection',
  async ({ world, door }) => {
    const person = await world.person();
    const made = await rpc.as(person).access.createConnection({ label: 'hour', expireSeconds: 3600n });
    const program = { ...person, secret: made.secret, connectionId: made.connection!.connectionId };
    await using watch = door.as(program).agents.watchDirectory({});
    await watch.next();
    world.clock.pass(HOUR);
    const { refusal } = await watch.ended();
    expect(refusal).toMatchObject({ reason: 'SIGNED_OUT', sentence: expect.stringContaining('expired') });
  },
  noManagingTool,
);
