import { Migration } from '@mikro-orm/migrations';
import { expect, test } from 'vitest';
import { migrate, openDatabase } from '../server/core/database.ts';
import { entities } from '../server/entities.ts';
import { migrations } from '../server/migrations/list.ts';
import { rpc } from './doors/rpc.ts';
import { dropDatabase, newDatabase } from './world/database.ts';
import { inWorld, World } from './world/world.ts';

class Next extends Migration {
  override up(): void {
    this.addSql('create table "of_the_next_version" ("id" text primary key)');
  }
}

const newer = [...migrations, { name: '9999-next', class: Next }];

test('AGT-9d, OPS-3b names and messages outlive an upgrade, and the older version refuses what the newer made', async () => {
  const world = new World(await newDatabase());
  await world.start(0);
  const alice = rpc.as(await world.agent('alice'));
  const bob = rpc.as(await world.agent('bob'));
  await alice.messages.send({ target: 'agent:bob', body: 'before' });
  const orm = await openDatabase(world.where, entities, newer);
  await migrate(world.where, orm, newer);
  await orm.close();
  expect((await bob.messages.read({})).messages).toMatchObject([{ fromAgent: 'alice', body: 'before' }]);
  await expect(world.secondNode()).rejects.toThrow(/newer agentworks \(9999-next\); install that version/);
  await world.close(true);
  await dropDatabase(world.where);
});

test('OPS-3d a database that holds something is migrated by command only: a start says so and leaves it', async () => {
  const where = await newDatabase();
  const orm = await openDatabase(where, entities, newer);
  await expect(migrate(where, orm, newer, { onlyEmpty: true })).rejects.toThrow('run `agentworks migrate`');
  expect(await orm.migrator.getExecuted()).toHaveLength(migrations.length);
  await migrate(where, orm, newer);
  expect(await orm.migrator.getExecuted()).toHaveLength(newer.length);
  await orm.close();
  await dropDatabase(where);
});

test('OPS-3a two servers that start together on an empty database migrate it once', async () => {
  const world = new World(await newDatabase('template1'));
  await Promise.all([world.start(0), world.start(0)]);
  const orm = await openDatabase(world.where, entities, migrations);
  const executed = await orm.migrator.getExecuted();
  await orm.close();
  expect(executed.map(({ name }) => name)).toEqual(migrations.map(({ name }) => name));
  await world.close(true);
  await dropDatabase(world.where);
});

test('OPS-1f either of two servers serves any client', () =>
  inWorld(async (world) => {
    const second = await world.secondNode();
    const alice = await world.agent('alice');
    const bob = await world.agent('bob');
    await rpc.as(world.at(second, alice)).messages.send({ target: 'agent:bob', body: 'by the second' });
    expect((await rpc.as(bob).messages.read({})).messages).toMatchObject([{ body: 'by the second' }]);
    await rpc.as(alice).messages.send({ target: 'agent:bob', body: 'by the first' });
    expect((await rpc.as(world.at(second, bob)).messages.read({})).messages).toHaveLength(2);
  }));
