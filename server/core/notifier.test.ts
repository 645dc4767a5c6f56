import { once } from 'node:events';
import { afterEach, expect, test } from 'vitest';
import { type BareNode, bareNode, beside, deafen, deafening } from '../../test/world/bare-node.ts';
import { giveBack, takeDatabase } from '../../test/world/database.ts';
import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import { openClient, type Where } from './database.ts';
import type { Ended } from './endings.ts';
import type { Waiter } from './hub.ts';

const open: BareNode[] = [];
const taken: Where[] = [];
afterEach(async () => {
  for (const node of open.splice(0)) await node.close();
  for (const where of taken.splice(0)) await giveBack(where);
});

async function newDatabase(): Promise<Where> {
  const where = await takeDatabase();
  taken.push(where);
  return where;
}

async function nodes(where: Where, count: number): Promise<BareNode[]> {
  const opened: BareNode[] = [];
  for (let i = 0; i < count; i++) opened.push(await bareNode(where));
  open.push(...opened);
  return opened;
}

async function pair(): Promise<{ where: Where; a: BareNode; b: BareNode }> {
  const where = await newDatabase();
  const [a, b] = await nodes(where, 2);
  // Who has had an answer from the other knows that it is not alone.
  const settle = await end(a!, { id: 'con_0', cause: 'revoked' });
  await settle();
  return { where, a: a!, b: b! };
}

/** Everyone is woken when a node begins to listen; a test waits for the next wake. */
const calm = (waiter: Waiter) => waiter.next(AbortSignal.abort());

async function woken(waiter: Waiter, withinMs = 5_000): Promise<boolean> {
  const limit = AbortSignal.timeout(withinMs);
  await waiter.next(limit);
  return !limit.aborted;
}

const end = (node: BareNode, ...endings: Ended[]) =>
  node.orm.em.fork().transactional((em) => node.notifier.endIn(em, endings));

const revoked: Ended = { id: 'con_1', cause: 'revoked' };

test('a wake reaches who waits here at once, and who waits on another node', async () => {
  const { a, b } = await pair();
  using here = a.hub.subscribe('mailbox:1');
  using there = b.hub.subscribe('mailbox:1');
  using other = b.hub.subscribe('mailbox:2');
  a.notifier.announce(['mailbox:1']);
  await here.next(AbortSignal.abort());
  expect(await woken(there)).toBe(true);
  expect(await woken(other, 50)).toBe(false);
});

test('while one NOTIFY runs, the next collects', async () => {
  const { where, a } = await pair();
  const ear = openClient(where);
  await ear.connect();
  await ear.query('listen agentworks');
  const heard: string[] = [];
  const all = new Promise<void>((done) => {
    ear.on('notification', ({ payload = '' }) => {
      heard.push(payload);
      if (payload.includes('mailbox:199')) done();
    });
  });
  for (let i = 0; i < 200; i++) {
    a.notifier.announce([`mailbox:${i}`]);
    if (i % 20 === 0) await new Promise((next) => setImmediate(next));
  }
  await all;
  await ear.end();
  expect(heard.length).toBeLessThan(20);
});

test('a node that is alone tells nobody, and whoever joins is told from then on', async () => {
  const where = await newDatabase();
  const [a] = await nodes(where, 1);
  const ear = openClient(where);
  await ear.connect();
  await ear.query('listen agentworks');
  const heard: string[] = [];
  ear.on('notification', ({ payload = '' }) => void heard.push(payload));
  await expect
    .poll(async () => {
      heard.length = 0;
      a!.notifier.announce(['mailbox:alone']);
      await ear.query('select pg_sleep(0.1)');
      return heard.filter((payload) => payload.includes('mailbox:alone'));
    })
    .toEqual([]);
  await ear.end();
  const [b] = await nodes(where, 1);
  using there = b!.hub.subscribe('mailbox:1');
  await calm(there);
  await expect
    .poll(async () => {
      a!.notifier.announce(['mailbox:1']);
      return woken(there, 100);
    })
    .toBe(true);
});

test('a listener that is cut off between a commit and its NOTIFY is woken once it listens again', async () => {
  const { where, a, b } = await pair();
  using there = b.hub.subscribe('mailbox:1');
  await calm(there);
  await deafen(where);
  a.notifier.announce(['mailbox:1']);
  expect(await woken(there)).toBe(true);
});

test('a right that ends here has ended on every node by the time it is settled', async () => {
  const { a, b } = await pair();
  using here = a.endings.hold('con_1');
  using there = b.endings.hold('con_1');
  using other = b.endings.hold('con_2');
  const settle = await end(a, revoked);
  await settle();
  expect([here.ended?.cause, there.ended?.cause, other.ended]).toEqual(['revoked', 'revoked', undefined]);
});

test('on its own node a right ends in the moment that it is settled', async () => {
  const { a } = await pair();
  const settle = await end(a, revoked);
  using hold = a.endings.hold('con_1');
  const settled = settle();
  expect(hold.ended?.cause).toBe('revoked');
  await settled;
});

test('who waits for other nodes while this one stops is told that it is not certain', async () => {
  const where = await newDatabase();
  const a = await bareNode(where);
  await beside(where, `insert into node values ('nod_hung', now(), now() + interval '14 seconds')`);
  const settle = await end(a, revoked);
  const outcome = settle().catch((error: unknown) => error);
  await a.close();
  expect(await outcome).toMatchObject({ reason: Reason.UNAVAILABLE });
});

test('a transaction that is rolled back ends nothing', async () => {
  const { a, b } = await pair();
  using there = b.endings.hold('con_1');
  const failing = a.orm.em.fork().transactional(async (em) => {
    await a.notifier.endIn(em, [revoked]);
    throw new Error('no');
  });
  await expect(failing).rejects.toThrow('no');
  const settle = await end(a, { id: 'con_2', cause: 'revoked' });
  await settle();
  expect(there.ended).toBeUndefined();
});

test('a thousand rights end in one transaction', async () => {
  const { a, b } = await pair();
  const endings = Array.from({ length: 1_000 }, (_, i): Ended => ({
    id: `con_${String(i).padStart(26, '0')}`,
    cause: 'revoked',
  }));
  const holds = endings.map(({ id }) => b.endings.hold(id));
  const settle = await end(a, ...endings);
  await settle();
  expect(holds.filter((hold) => hold.ended === undefined)).toEqual([]);
});

test('a node that did not hear is told again once it listens, and is waited for until then', async () => {
  const { a, b } = await pair();
  using there = b.endings.hold('con_1');
  const settle = await a.orm.em.fork().transactional(async (em) => {
    const told = await a.notifier.endIn(em, [revoked]);
    await em.execute(deafening(0)); // The commit follows at once: nobody listens again that soon.
    return told;
  });
  await settle();
  expect(there.ended?.cause).toBe('revoked');
});

test('a repeat ends nothing that began since', async () => {
  const { where, a, b } = await pair();
  await beside(where, `insert into node values ('nod_hung', now(), now() + interval '2 seconds')`);
  using first = b.endings.hold('con_1');
  const settle = await end(a, revoked);
  const settled = settle();
  if (!first.signal.aborted) await once(first.signal, 'abort');
  using second = b.endings.hold('con_1');
  await settled;
  expect(second.ended).toBeUndefined();
});

test('a node that hangs is waited for until its lease lapses, and no longer', async () => {
  const { where, a } = await pair();
  const leaseEnds = performance.now() + 1_500;
  await beside(where, `insert into node values ('nod_hung', now(), now() + interval '1.5 seconds')`);
  const settle = await end(a, revoked);
  await settle();
  const late = performance.now() - leaseEnds;
  expect(late).toBeGreaterThan(-50);
  expect(late).toBeLessThan(1_500);
});

test('a node that left is not waited for', async () => {
  const where = await newDatabase();
  const [a] = await nodes(where, 1);
  const b = await bareNode(where);
  await b.close();
  const began = performance.now();
  const settle = await end(a!, revoked);
  await settle();
  expect(performance.now() - began).toBeLessThan(900);
});

test('a database that goes away and comes back costs a moment, not the process', async () => {
  const { where, a, b } = await pair();
  using there = b.hub.subscribe('mailbox:1');
  const elsewhere = { ...where, database: 'postgres' };
  await beside(elsewhere, `alter database "${where.database}" allow_connections false`);
  await beside(
    elsewhere,
    `select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '${where.database}'`,
  );
  await calm(there);
  a.notifier.announce(['mailbox:1']);
  expect(await woken(there, 300)).toBe(false);
  await beside(elsewhere, `alter database "${where.database}" allow_connections true`);
  expect(await woken(there)).toBe(true);
  const settle = await end(a, revoked);
  await settle();
});
