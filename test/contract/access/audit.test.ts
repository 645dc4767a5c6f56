import { expect, test } from 'vitest';
import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import { addEvent, dropOldest } from '../../../server/access/store/audit.ts';
import { type Door, refuses } from '../../doors/door.ts';
import { rpc } from '../../doors/rpc.ts';
import { attached } from '../../world/attached.ts';
import type { Person } from '../../world/people.ts';
import { inWorld } from '../../world/world.ts';
import { proves } from '../proves.ts';
import { noManagingTool } from '../through.ts';

const written = async (door: Door, person: Person, about = '') =>
  (await door.as(person).access.listAuditEvents({ connectionId: about })).events.map(
    ({ kind, connectionId, subject }) => [kind, connectionId, subject],
  );

proves('ACC-2i', 'what was done to the account’s ways in is written down, newest first', async ({ world, door }) => {
  const person = await world.person();
  const { access, agents } = door.as(person);
  const { connectionId } = (await access.createConnection({ label: 'nightly' })).connection!;
  await access.updateConnection({ connectionId, scopes: { values: ['read'] } });
  await access.revokeConnection({ connectionId });
  await access.revokeConnection({ connectionId });
  await agents.register({ agentName: 'alice' });
  await agents.register({ agentName: 'alice' });
  await agents.unregister({ agentName: 'alice' });
  const by = person.connectionId;
  expect(await written(door, person)).toEqual([
    ['agent.unregistered', by, 'alice'],
    ['agent.registered', by, 'alice'],
    ['connection.revoked', by, connectionId],
    ['connection.updated', by, connectionId],
    ['connection.created', by, connectionId],
    ['connection.signed_in', by, by],
  ]);
  expect((await written(door, person, connectionId)).map(([kind]) => kind)).toEqual([
    'connection.revoked',
    'connection.updated',
    'connection.created',
  ]);
  expect(await written(door, await (await world.account('other')).person())).toHaveLength(1);
});

proves(
  'ACC-2i',
  'it is read page by page',
  async ({ world, door }) => {
    const person = await world.person();
    const { access } = door.as(person);
    for (const label of ['one', 'two', 'three']) await access.createConnection({ label });
    const first = await access.listAuditEvents({ pageSize: 3 });
    const second = await access.listAuditEvents({ pageSize: 3, after: first.nextCursor });
    expect(
      [...first.events, ...second.events].map(({ sentence }) => /one|two|three|person/.exec(sentence)?.[0]),
    ).toEqual(['three', 'two', 'one', 'person']);
    expect(second.nextCursor).toBe('');
    await refuses(Reason.BAD_CURSOR, access.listConnections({ after: first.nextCursor }));
    const other = { connectionId: person.connectionId, after: first.nextCursor };
    await refuses(Reason.BAD_CURSOR, access.listAuditEvents(other));
  },
  noManagingTool,
);

proves(
  'ACC-2j',
  'a refusal for want of a right is written down, and the same one only counted',
  async ({ world, door }) => {
    const person = await world.person();
    const { connection, secret } = await rpc.as(person).access.createConnection({ label: 'reader', scopes: ['read'] });
    const reader = { ...person, secret, connectionId: connection!.connectionId };
    for (let i = 0; i < 5; i++)
      await refuses(
        Reason.SCOPE_MISSING,
        door.as(reader).messages.send({ target: 'agent:bob', body: 'a secret word' }),
      );
    await refuses(Reason.NOT_ALLOWED, door.as(reader).access.listConnections({}));
    const refused = async () => {
      const { events } = await rpc.as(person).access.listAuditEvents({ connectionId: reader.connectionId });
      return events.filter(({ kind }) => kind === 'call.refused');
    };
    const counted = async () => (await refused()).map(({ subject, count }) => `${subject} ${count}`).toSorted();
    await expect
      .poll(() => {
        world.clock.pass(1_000);
        return counted();
      })
      .toEqual(['ListConnections 1', 'Send 5']);
    expect(JSON.stringify((await refused()).map(({ sentence }) => sentence))).not.toContain('secret word');
  },
);

proves(
  'ATT-1a.4',
  'every attach, move and detach is written down, whatever form it had',
  async ({ world, door }) => {
    const person = await world.person();
    const first = await attached(person, 'alice');
    await attached(person, 'alice');
    const moved = await attached(person, 'alice', 'another session');
    await attached(person, 'bob', 'another session');
    expect(first.attachmentId).not.toBe(moved.attachmentId);
    const bob = (await rpc.as(person).attachments.listAttachments({})).attachments[0]!;
    await door.as(person).attachments.detach({ attachmentId: bob.attachmentId });
    const { events } = await door.as(person).access.listAuditEvents({});
    const attachments = events.filter(({ kind }) => kind.startsWith('attachment.'));
    expect(attachments.map(({ kind, subject }) => [kind, subject])).toEqual([
      ['attachment.detached', 'bob'],
      ['attachment.attached', 'bob'],
      ['attachment.detached', 'alice'],
      ['attachment.moved', 'alice'],
      ['attachment.attached', 'alice'],
      ['attachment.attached', 'alice'],
    ]);
    expect(attachments.at(-1)!.sentence).toContain('a chat of claude on desk; the person asked for it in that chat');
  },
  { doors: ['rpc', 'http'], because: 'the command line attaches only sessions that it verified on its computer' },
);

test('ACC-2j what is refused on two servers at once is counted together', () =>
  inWorld(async (world) => {
    const second = await world.secondNode();
    const person = await world.person();
    const program = await world.program('program');
    const both = [program, world.at(second, program)];
    for (const at of both) await refuses(Reason.NOT_ALLOWED, rpc.as(at).access.listConnections({}));
    const counts = async () => {
      const { events } = await rpc.as(person).access.listAuditEvents({});
      return events.filter(({ kind }) => kind === 'call.refused').reduce((sum, { count }) => sum + count, 0);
    };
    await expect.poll(counts).toBe(2);
  }));

test('ACC-2i what is too old goes, and refusals drive out nothing but refusals', () =>
  inWorld(async (world) => {
    const person = await world.person();
    const { accountId, connectionId } = await rpc.as(person).access.whoAmI({});
    const em = world.first.running.deps.orm.em.fork();
    const event = (kind: 'agent.registered' | 'call.refused', n: number) =>
      addEvent(em, { accountId, connectionId, kind, subject: `${n}`, sentence: 'said' });
    for (let n = 0; n < 4; n++) {
      await event('agent.registered', n);
      await event('call.refused', n);
    }
    await dropOldest(em, accountId, { areRefusals: true, keep: 1 });
    const kept = async () =>
      (await rpc.as(person).access.listAuditEvents({})).events.map(({ kind, subject }) => `${kind} ${subject}`);
    const names = [3, 2, 1, 0].map((n) => `agent.registered ${n}`);
    const signIn = `connection.signed_in ${connectionId}`;
    expect(await kept()).toEqual(['call.refused 3', ...names, signIn]);
    await dropOldest(em, accountId, { areRefusals: false, keep: 2 });
    expect(await kept()).toEqual(['call.refused 3', ...names.slice(0, 2)]);
  }));
