import { expect, inject, test } from 'vitest';
import { openDatabase } from '../server/core/database.ts';
import { entities } from '../server/entities.ts';
import { migrations } from '../server/migrations/list.ts';
import { TEMPLATE, whereIn } from './world/database.ts';

test('OPS-3c the entities and the migrated schema agree', async () => {
  const orm = await openDatabase(whereIn(inject('postgresSocket'), TEMPLATE), entities, migrations);
  try {
    const tables = (await orm.schema.getCreateSchemaSQL()).match(/create table/g);
    expect(tables).toHaveLength(entities.length);
    expect(await orm.schema.getUpdateSchemaSQL()).toBe('');
  } finally {
    await orm.close();
  }
});
