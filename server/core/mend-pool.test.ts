import { expect, test } from 'vitest';
import { beside } from '../../test/world/bare-node.ts';
import { giveBack, takeDatabase } from '../../test/world/database.ts';
import { entities } from '../entities.ts';
import { migrations } from '../migrations/list.ts';
import { type Database, type Manager, openDatabase, type Where } from './database.ts';

async function dieDuring(orm: Database, where: Where, work: (em: Manager) => Promise<unknown>): Promise<void> {
  const dying = orm.em.fork().transactional(async (em) => {
    const rows: { pid: number }[] = await em.execute('select pg_backend_pid() as pid');
    await beside(where, `select pg_terminate_backend(${rows[0]!.pid}, 5000)`);
    await work(em);
  });
  await expect(dying).rejects.toThrow(/terminated|connection error/);
}

test('transactions whose connection dies do not use up the pool', async () => {
  const where = await takeDatabase();
  const orm = await openDatabase(where, entities, migrations);
  for (let i = 0; i < 11; i++) await dieDuring(orm, where, (em) => em.execute('select 1'));
  for (let i = 0; i < 11; i++) await dieDuring(orm, where, () => Promise.resolve()); // Its commit fails.
  await expect(orm.em.fork().execute('select 1 as one')).resolves.toEqual([{ one: 1 }]);
  await orm.close();
  await giveBack(where);
});

interface Wired {
  readonly connection: { readonly stream: { destroy(): void } };
}

test('transactions that cannot even begin do not use up the pool', async () => {
  const where = await takeDatabase();
  const orm = await openDatabase(where, entities, migrations);
  const pool = await orm.em.getConnection().getNativeClient();
  // Cut between the pool and the transaction, where a restart of PostgreSQL finds it now and then.
  pool.on('acquire', (client) => (client as unknown as Wired).connection.stream.destroy());
  for (let i = 0; i < 11; i++)
    await expect(orm.em.fork().transactional(() => Promise.resolve())).rejects.toThrow(/terminated|connection error/);
  pool.removeAllListeners('acquire');
  await expect(orm.em.fork().execute('select 1 as one')).resolves.toEqual([{ one: 1 }]);
  await orm.close();
  await giveBack(where);
});
