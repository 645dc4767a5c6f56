import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { migrate, openDatabase } from '../../server/core/database.ts';
import { ensureDatabase, startPostgres } from '../../server/core/postgres.ts';
import { entities } from '../../server/entities.ts';
import { migrations } from '../../server/migrations/list.ts';
import { TEMPLATE, whereIn } from './database.ts';

declare module 'vitest' {
  interface ProvidedContext {
    postgresSocket: string;
  }
}

/** One PostgreSQL for the whole run, with a migrated template that each world is cloned from. */
export default async function cluster(project: TestProject): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), 'agentworks-test-'));
  const postgres = await startPostgres(folder);
  await ensureDatabase(postgres.socket, TEMPLATE);
  const where = whereIn(postgres.socket, TEMPLATE);
  const orm = await openDatabase(where, entities, migrations);
  await migrate(where, orm, migrations);
  await orm.close();
  project.provide('postgresSocket', postgres.socket);
  return async () => {
    await postgres.stop();
    rmSync(folder, { recursive: true });
  };
}
