import { afterEach, expect, test } from 'vitest';
import { type BareNode, bareNode, beside } from '../../test/world/bare-node.ts';
import { newDatabase } from '../../test/world/database.ts';
import type { Where } from '../core/database.ts';

const open: BareNode[] = [];
afterEach(async () => {
  for (const opened of open.splice(0)) await opened.close();
});

async function node(where: Where, options?: { isAlone: boolean }): Promise<BareNode> {
  const opened = await bareNode(where, options);
  open.push(opened);
  return opened;
}

const nodeIds = async (where: Where) =>
  (await beside(where, 'select id from node order by id')).map((row) => row['id']);

/** A node that died with a link, which an attachment hangs on. */
const deadNode = (where: Where) =>
  beside(
    where,
    `insert into node values ('nod_dead', now() - interval '1 hour', now() - interval '1 second');
     insert into link (id, node_id, account_id, connection_id, computer)
     values ('lnk_dead', 'nod_dead', 'acc_1', 'con_1', 'desk');
     insert into attachment (id, account_id, agent_id, child_id, connection_id, provider, session_id, pid,
                             process_start, boot_id, origin, folder, computer, start_seq, link_id)
     values ('att_1', 'acc_1', 'agt_1', 'con_2', 'con_1', 'claude', 's', 1, 't', 'b', 'terminal', '/', 'desk', 0, 'lnk_dead')`,
  );

test('a node is listed while it is open, and not after', async () => {
  const where = await newDatabase();
  const opened = await bareNode(where);
  expect(await nodeIds(where)).toEqual([opened.nodeId]);
  expect(opened.isCurrent()).toBe(true);
  await opened.close();
  expect(await nodeIds(where)).toEqual([]);
});

test('every node of a database sees the same epoch', async () => {
  const where = await newDatabase();
  const epochs = [(await node(where)).epoch, (await node(where)).epoch];
  expect(epochs[0]).toMatch(/^epo_/);
  expect(epochs[1]).toBe(epochs[0]);
});

test('what a dead node left is cleared away, and who watches presence is woken', async () => {
  const where = await newDatabase();
  const watcher = await node(where);
  using waiter = watcher.hub.subscribe('account:acc_1');
  await waiter.next(AbortSignal.abort());
  await deadNode(where);
  const reaper = await node(where);
  const limit = AbortSignal.timeout(10_000);
  await waiter.next(limit);
  expect(limit.aborted).toBe(false);
  expect(await nodeIds(where)).toEqual([watcher.nodeId, reaper.nodeId].toSorted());
  expect(await beside(where, 'select id from link')).toEqual([]);
  expect(await beside(where, 'select link_id from attachment')).toEqual([{ link_id: null }]);
});

test('a server that has its database alone does not wait for the leases of its earlier lives', async () => {
  const where = await newDatabase();
  await beside(where, `insert into node values ('nod_killed', now(), now() + interval '14 seconds')`);
  const alone = await node(where, { isAlone: true });
  expect(await nodeIds(where)).toEqual([alone.nodeId]);
});
