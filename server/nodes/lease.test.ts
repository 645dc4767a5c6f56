import { afterEach, expect, test } from 'vitest';
import type pg from 'pg';
import { beside } from '../../test/world/bare-node.ts';
import { giveBack, takeDatabase } from '../../test/world/database.ts';
import { systemClock } from '../core/clock.ts';
import { openClient, type Where } from '../core/database.ts';
import { Endings } from '../core/endings.ts';
import { newLog } from '../core/log.ts';
import { NodeLease } from './lease.ts';

const open: { readonly client: pg.Client; readonly where: Where }[] = [];
afterEach(async () => {
  for (const { client, where } of open.splice(0)) {
    await client.end();
    await giveBack(where);
  }
});

/** A lease whose two hands the test moves. */
async function held() {
  const where = await takeDatabase();
  const client = openClient(where);
  await client.connect();
  open.push({ client, where });
  const endings = new Endings();
  const time = { monotonic: 1_000, wall: 5_000 };
  const lease = new NodeLease({
    nodeId: 'nod_1',
    endings,
    clock: systemClock,
    log: newLog('silent'),
    hands: () => [time.monotonic, time.wall],
  });
  await lease.beat(client);
  return { where, client, endings, time, lease };
}

const secondsLeft = async (where: Where): Promise<number> => {
  const [row] = await beside(where, `select extract(epoch from expire_time - now())::float8 as left from node`);
  return Number(row?.['left']);
};

test('a beat gives fifteen seconds by the clock of the database', async () => {
  const { where, client, lease } = await held();
  await beside(where, `update node set expire_time = now() + interval '3 seconds'`);
  await lease.beat(client);
  const left = await secondsLeft(where);
  expect(left).toBeGreaterThan(14);
  expect(left).toBeLessThanOrEqual(15);
});

test.each(['monotonic', 'wall'] as const)('ten seconds without a beat end everything, by the %s hand', async (hand) => {
  const { endings, time, lease } = await held();
  using hold = endings.hold('con_1');
  time[hand] += 9_999;
  expect(lease.isCurrent()).toBe(true);
  time[hand] += 1;
  expect(lease.isCurrent()).toBe(false);
  await lease.watch(AbortSignal.timeout(50));
  expect(hold.ended?.cause).toBe('out-of-touch');
});

test('a clock that is set back gives no more time', async () => {
  const { time, lease } = await held();
  time.wall -= 3_600_000;
  time.monotonic += 10_000;
  expect(lease.isCurrent()).toBe(false);
});

test('the time counts from before the question, however late the answer comes', async () => {
  const { client, time, lease } = await held();
  const slow = new Proxy(client, {
    get: (target, name) =>
      name === 'query'
        ? (...all: Parameters<pg.Client['query']>) => {
            time.monotonic += 4_000;
            return target.query(...all);
          }
        : (Reflect.get(target, name) as unknown),
  });
  await lease.beat(slow);
  time.monotonic += 6_000;
  expect(lease.isCurrent()).toBe(false);
});

test('a node that comes back is current again, under a lease of its own', async () => {
  const { where, client, time, lease } = await held();
  time.monotonic += 60_000;
  await lease.beat(client);
  expect(lease.isCurrent()).toBe(true);
  expect(await secondsLeft(where)).toBeGreaterThan(14);
});

test('a node whose lease lapsed without its noticing ends everything before it goes on', async () => {
  const { where, client, endings, lease } = await held();
  using hold = endings.hold('con_1');
  await beside(where, `update node set expire_time = now()`);
  await lease.beat(client);
  expect(hold.ended?.cause).toBe('out-of-touch');
  expect(lease.isCurrent()).toBe(true);
  using next = endings.hold('con_1');
  await lease.beat(client);
  expect(next.ended).toBeUndefined();
});

test('a new life has none of the links of the one before, and their attachments are free', async () => {
  const { where, client, time, lease } = await held();
  await beside(where, linked('nod_1', 'lnk_1', 'att_1'));
  time.monotonic += 60_000;
  await lease.beat(client);
  expect(await beside(where, 'select id from link')).toEqual([]);
  expect(await beside(where, 'select id, link_id from attachment')).toEqual([{ id: 'att_1', link_id: null }]);
});

const linked = (nodeId: string, linkId: string, attachmentId: string) => `
  insert into link (id, node_id, account_id, connection_id, computer)
  values ('${linkId}', '${nodeId}', 'acc_1', 'con_1', 'desk');
  insert into attachment (id, account_id, agent_id, child_id, connection_id, provider, session_id, pid, process_start,
                          boot_id, origin, folder, computer, start_seq, link_id)
  values ('${attachmentId}', 'acc_1', 'agt_${attachmentId}', 'con_2', 'con_1', 'claude', 's', 1, 't', 'b', 'terminal', '/', 'desk', 0, '${linkId}')`;
