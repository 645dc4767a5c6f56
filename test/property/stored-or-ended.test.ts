import { setTimeout as later } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openClient, type Where } from '../../server/core/database.ts';
import { Batcher } from '../../server/messages/batcher.ts';
import { bareNode, type BareNode } from '../world/bare-node.ts';
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

const good = {
  key: 's1',
  says: 'x',
  to: ['bob'],
  by: 'program',
  lease: 'none',
  answers: 'nothing',
  poison: 'none',
} as const;

test('ACC-2d what is being stored on one server is there before a revocation on another is answered', async () => {
  const ground = new Ground(here);
  await ground.prepare();
  const slow = openClient(where);
  await slow.connect();
  // Somebody else's transaction holds the mailbox: the statement has judged its sender, and waits.
  await slow.query('begin');
  await slow.query('insert into mailbox (id, account_id) values ($1, $2)', [ground.id('bob'), ground.id('account')]);
  const storing = new Batcher({ ...there, hops: 8, hasRoom: () => true }).store(
    ground.submission({ ...good, to: ['bob'] }, 1),
  );
  const waits = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  while ((await slow.query(waits)).rowCount === 0) await later(5);

  const atAnswer = (async () => {
    const settle = await here.orm.em.fork().transactional(async (em) => {
      await em.execute('update connection set revoke_time = now() where id = ?', [ground.id('program')]);
      return here.notifier.endIn(em, [{ id: ground.id('program'), cause: 'revoked' }]);
    });
    await settle();
    return ground.mailbox('bob');
  })();
  // Time enough for an answer that waits for nobody; one that waits as it must is not hurried by this.
  await Promise.race([atAnswer, later(500)]);
  await slow.query('rollback');
  await slow.end();
  const before = await atAnswer;
  expect(await storing).toMatchObject({ refusal: null });
  expect(await ground.mailbox('bob')).toEqual(before);
  expect(before).toHaveLength(1);
});
