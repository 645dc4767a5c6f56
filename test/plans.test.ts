import { expect, test } from 'vitest';
import { LIVE_CONNECTIONS, TOKEN_CONNECTIONS } from '../server/access/store/connections.ts';
import { FIND_NAMES, REACH } from '../server/agents/store.ts';
import { openDatabase } from '../server/core/database.ts';
import { Statement } from '../server/core/statement.ts';
import { entities } from '../server/entities.ts';
import { INBOX_PAGE, MAILBOX_PAGE } from '../server/messages/store/pages.ts';
import { SIDES } from '../server/messages/store/sides.ts';
import { STORE } from '../server/messages/store/submissions.ts';
import { migrations } from '../server/migrations/list.ts';
import { dropDatabase, newDatabase } from './world/database.ts';

const hot = [LIVE_CONNECTIONS, TOKEN_CONNECTIONS, FIND_NAMES, REACH, INBOX_PAGE, MAILBOX_PAGE, SIDES, STORE];

/** Parts of a plan that read a whole table, or all of a table that they sort or hash. */
const WHOLE = /(Seq Scan|Bitmap Heap Scan) on (?!k\b)\w+/g;

async function inDatabase(act: (orm: Awaited<ReturnType<typeof openDatabase>>) => Promise<void>): Promise<void> {
  const where = await newDatabase();
  const orm = await openDatabase(where, entities, migrations);
  try {
    await act(orm);
  } finally {
    await orm.close();
    await dropDatabase(where);
  }
}

test('the plan that a hot statement keeps asks an index of every table, although they are empty when it is made', () =>
  inDatabase(async (orm) => {
    for (const { name, text } of hot) {
      const rows: { 'QUERY PLAN': string }[] = await orm.em.fork().execute(`explain (generic_plan) ${text}`);
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      expect({ name, whole: plan.match(WHOLE) }).toEqual({ name, whole: null });
      expect(plan).toMatch(/Index (Only )?Scan/);
    }
  }));

test('a hot statement refuses a transaction, since it would run beside it', () =>
  inDatabase(async (orm) => {
    const one = new Statement<{ one: number }>('test.one', 'select $1::int as one');
    expect(await one.run(orm.em.fork(), [1])).toEqual([{ one: 1 }]);
    await orm.em.fork().transactional(async (em) => {
      await expect(one.run(em, [1])).rejects.toThrow('outside the transaction');
    });
  }));
