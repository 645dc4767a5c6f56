import fc from 'fast-check';
import { expect } from 'vitest';
import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import { refuses, type Hands } from '../doors/door.ts';
import { rpc } from '../doors/rpc.ts';
import { attached } from '../world/attached.ts';
import type { World } from '../world/world.ts';
import { proves } from './proves.ts';

proves('CON-5a', 'the cursors of the directory and of connections lead through all of it', async ({ world, door }) => {
  const person = await world.person();
  const names = ['ada', 'Bea', 'cleo', 'dora', 'Eve'];
  for (const agentName of names) await rpc.as(person).agents.register({ agentName });
  for (let n = 0; n < 5; n++) await rpc.as(person).access.createConnection({ label: `c${n}` });
  const hands = door.as(person);
  const agents = await all(
    (after) => hands.agents.list({ after, pageSize: 2 }),
    ({ agents: page }) => page,
  );
  expect(agents.map(({ name }) => name)).toEqual(names);
  const connections = await all(
    (after) => hands.access.listConnections({ after, pageSize: 2 }),
    ({ connections: page }) => page,
  );
  const whole = (await hands.access.listConnections({})).connections;
  expect(connections).toEqual(whole);
  expect(whole.slice(0, 5).map(({ label }) => label)).toEqual(['c4', 'c3', 'c2', 'c1', 'c0']);
});

proves(
  'CON-5a',
  'the cursor of attachments leads through all of them',
  async ({ world, door }) => {
    const person = await world.person();
    const ids: string[] = [];
    for (const name of ['ada', 'bea', 'cleo']) ids.unshift((await attached(person, name)).attachmentId);
    const { attachments } = door.as(person);
    const found = await all(
      (after) => attachments.listAttachments({ after, pageSize: 2 }),
      (page) => page.attachments,
    );
    expect(found.map(({ attachmentId }) => attachmentId)).toEqual(ids);
  },
  { doors: ['rpc', 'http'], because: 'the command line shows attachments of this computer, which a bridge verified' },
);

async function all<P extends { readonly nextCursor: string }, X>(
  ask: (after: string) => Promise<P>,
  of: (page: P) => readonly X[],
): Promise<X[]> {
  const seen: X[] = [];
  for (let after = ''; ;) {
    const page = await ask(after);
    seen.push(...of(page));
    if (page.nextCursor === '') return seen;
    after = page.nextCursor;
  }
}

/** A cursor of each kind of read, and each kind of read as a function of a cursor. */
async function reads(world: World, hands: Hands, person: Hands) {
  const { inboxId } = await hands.messages.send({ target: 'agent:bob', body: 'hello' });
  await hands.messages.send({ target: 'agent:bob', body: 'hello' });
  await rpc.as(await world.person()).agents.register({ agentName: 'carol' });
  const read = {
    mailbox: (after: string) => hands.messages.read({ after }),
    inbox: (after: string) => hands.messages.read({ inboxId, after }),
    search: (after: string) => hands.messages.search({ query: 'hello', after, pageSize: 1 }),
    agents: (after: string) => hands.agents.list({ after, pageSize: 1 }),
    audit: (after: string) => person.access.listAuditEvents({ after, pageSize: 1 }),
    connections: (after: string) => person.access.listConnections({ after, pageSize: 1 }),
  };
  const cursors = await Promise.all(
    Object.entries(read).map(async ([kind, ask]) => [kind, (await ask('')).nextCursor] as const),
  );
  return { read: Object.entries(read), cursors };
}

proves('CON-5b, AGT-5b', 'a cursor of one kind given to another read is refused', async ({ world, door }) => {
  const alice = door.as(await world.agent('alice'));
  await world.agent('bob');
  const { read, cursors } = await reads(world, alice, door.as(await world.person()));
  for (const [kind, cursor] of cursors)
    for (const [other, ask] of read) {
      expect(cursor).not.toBe('');
      if (kind === other) await ask(cursor);
      else expect(await refuses(Reason.BAD_CURSOR, ask(cursor))).toMatchObject({ subject: 'after' });
    }
});

proves('CON-5c', 'a cursor of another mailbox, filter or account is refused', async ({ world, door }) => {
  const alice = door.as(await world.agent('alice'));
  const bob = door.as(await world.agent('bob'));
  const eve = door.as(await (await world.account('other')).agent('eve'));
  for (let n = 0; n < 2; n++) await alice.messages.send({ target: 'agent:bob', body: 'hello' });
  const { nextCursor } = await bob.messages.read({});
  await refuses(Reason.BAD_CURSOR, alice.messages.read({ after: nextCursor }));
  await refuses(Reason.BAD_CURSOR, eve.messages.read({ after: nextCursor }));
  await refuses(Reason.BAD_CURSOR, bob.messages.read({ fromAgent: 'alice', after: nextCursor }));
  const found = await bob.messages.search({ query: 'hello', pageSize: 1 });
  await refuses(Reason.BAD_CURSOR, bob.messages.search({ query: 'other', after: found.nextCursor }));
  const listed = await bob.agents.list({ pageSize: 1 });
  await refuses(Reason.BAD_CURSOR, eve.agents.list({ after: listed.nextCursor }));
});

proves('CON-5d', 'text that is no cursor is refused, whatever it is', async ({ world, door }) => {
  const alice = door.as(await world.agent('alice'));
  await world.agent('bob');
  const { read, cursors } = await reads(world, alice, door.as(await world.person()));
  const whole = cursors.map(([, cursor]) => cursor);
  const garbage = fc.oneof(
    fc.string({ minLength: 1, maxLength: 60 }),
    fc.base64String({ minLength: 4, maxLength: 80 }),
    fc.json().map((json) => Buffer.from(json).toString('base64url')),
    // A real cursor with its end cut off, or one letter changed.
    fc.tuple(fc.constantFrom(...whole), fc.nat(30)).map(([cursor, cut]) => cursor.slice(0, -1 - cut)),
  );
  const [, ask] = read[0]!;
  const accepted = (after: string) => ['', '0'].includes(after) || whole.includes(after);
  await fc.assert(
    fc.asyncProperty(garbage, async (after) => {
      fc.pre(!accepted(after) && !after.includes('\0') && after.isWellFormed());
      await refuses(Reason.BAD_CURSOR, ask(after));
    }),
    { numRuns: 40 },
  );
  for (const [, other] of read) {
    await refuses(Reason.BAD_CURSOR, other('rubbish'));
    await refuses(Reason.BAD_CURSOR, other('x'.repeat(100_000)));
  }
});
