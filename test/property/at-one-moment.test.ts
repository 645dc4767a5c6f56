import { setTimeout as later } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { claimOffer, type ClaimDeps } from '../../server/agents/attachments/claim-offer.ts';
import { openClient, type Where } from '../../server/core/database.ts';
import { Batcher } from '../../server/messages/batcher.ts';
import { type BareNode, bareNode, deafen } from '../world/bare-node.ts';
import { dropDatabase, newDatabase } from '../world/database.ts';
import { Ground } from './ground.ts';

let where: Where;
let here: BareNode;
let there: BareNode;

beforeAll(async () => {
  where = await newDatabase();
  [here, there] = [await bareNode(where), await bareNode(where)];
});
afterAll(async () => {
  for (const node of [here, there]) await node.close();
  await dropDatabase(where);
});

test('RCP-5c of two claims on two servers that begin before either ends, one is granted', async () => {
  const ground = new Ground(here);
  await ground.prepare();
  const em = here.orm.em.fork();
  await em.execute(
    `insert into connection (id, account_id, kind, label, secret_hash, parent_id) values (?, ?, 'child', '', ?, ?)`,
    [ground.id('child'), ground.id('account'), ground.id('child'), ground.id('program')],
  );
  await em.execute('update attachment set agent_id = ?, child_id = ? where id = ?', [
    ground.id('bob'),
    ground.id('child'),
    ground.id('live'),
  ]);
  const batcher = new Batcher({ ...here, hops: 8, hasRoom: () => true });
  const wish = {
    key: null,
    says: 'x',
    to: ['bob'],
    by: 'program',
    lease: 'none',
    answers: 'nothing',
    poison: 'none',
  } as const;
  await batcher.store(ground.submission({ ...wish, to: ['bob'] }, 1));
  const [message] = await ground.mailbox('bob');

  // Somebody else holds the row, so that both claims have begun before either can go on.
  const slow = openClient(where);
  await slow.connect();
  await slow.query('begin');
  await slow.query('select from delivery where message_id = $1 for update', [message!.id]);
  const claiming = [here, there].map((node) => {
    const agents = { seen: () => {} } as unknown as ClaimDeps['agents'];
    const deps = { ...node, agents, guard: { hops: 8, wakesPerPair: 20, wakesPerAccount: 600 } };
    const caller = {
      kind: 'child',
      accountId: ground.id('account'),
      connectionId: ground.id('child'),
      targets: null,
      agentId: ground.id('bob'),
      agentName: 'bob',
    } as const;
    return claimOffer(deps, caller, {
      attachmentId: ground.id('live'),
      messageIds: [message!.id],
      route: 'test',
      wakes: false,
    });
  });
  const waits = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  while ((await slow.query(waits)).rowCount !== 2) await later(5);
  await slow.query('rollback');
  await slow.end();
  const outcomes = (await Promise.all(claiming)).flat().map(({ outcome }) => outcome);
  expect(outcomes.toSorted()).toEqual(['already_offered', 'granted']);
});

test('MSG-13e who waits at a server that was deaf for a moment looks again, since nobody knows what it missed', async () => {
  using waiter = there.hub.subscribe('mailbox:somebody');
  expect((await deafen(where)).length).toBe(2);
  const patience = AbortSignal.timeout(15_000);
  await waiter.next(patience);
  expect(patience.aborted).toBe(false);
});
