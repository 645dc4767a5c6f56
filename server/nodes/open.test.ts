import { afterEach, beforeEach, expect, test } from 'vitest';
import { type BareNode, bareNode, beside } from '../../test/world/bare-node.ts';
import { giveBack, takeDatabase } from '../../test/world/database.ts';
import type { Where } from '../core/database.ts';

let where: Where;
const open: BareNode[] = [];
beforeEach(async () => {
  where = await takeDatabase();
});
afterEach(async () => {
  for (const opened of open.splice(0)) await opened.close();
  await giveBack(where);
});

async function node(options?: { isAlone: boolean }): Promise<BareNode> {
  const opened = await bareNode(where, options);
  open.push(opened);
  return opened;
}

const nodeIds = async () => (await beside(where, 'select id from node order by id')).map((row) => row['id']);

/** A node that died with a link, which an attachment hangs on. */
const deadNode = () =>
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
  const opened = await bareNode(where);
  expect(await nodeIds()).toEqual([opened.nodeId]);
  expect(opened.isCurrent()).toBe(true);
  await opened.close();
  expect(await nodeIds()).toEqual([]);
});

test('every node of a database sees the same epoch', async () => {
  const epochs = [(await node()).epoch, (await node()).epoch];
  expect(epochs[0]).toMatch(/^epo_/);
  expect(epochs[1]).toBe(epochs[0]);
});

test('what a dead node left is cleared away, and who watches presence is woken', async () => {
  const watcher = await node();
  using waiter = watcher.hub.subscribe('account:acc_1');
  await waiter.next(AbortSignal.abort());
  await deadNode();
  const reaper = await node();
  const limit = AbortSignal.timeout(10_000);
  await waiter.next(limit);
  expect(limit.aborted).toBe(false);
  expect(await nodeIds()).toEqual([watcher.nodeId, reaper.nodeId].toSorted());
  expect(await beside(where, 'select id from link')).toEqual([]);
  expect(await beside(where, 'select link_id from attachment')).toEqual([{ link_id: null }]);
});

test('a server that has its database alone does not wait for the leases of its earlier lives', async () => {
  await beside(where, `insert into node values ('nod_killed', now(), now() + interval '14 seconds')`);
  const alone = await node({ isAlone: true });
  expect(await nodeIds()).toEqual([alone.nodeId]);
});
