import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { migrate, openClient, openDatabase } from '../../server/core/database.ts';
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
export default (project: TestProject): Promise<() => Promise<void>> => openCluster(project, hurry);

export async function openCluster(
  project: TestProject,
  settle: (socket: string) => Promise<void> = async () => {},
): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), 'agentworks-test-'));
  const postgres = await startPostgres(folder);
  await settle(postgres.socket);
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

/**
 * Nothing here must outlive the run, so nothing waits for the disk. What a flush is worth is looked at where servers and
 * databases are killed, on clusters of their own.
 */
async function hurry(socket: string): Promise<void> {
  const admin = openClient(whereIn(socket, 'postgres'));
  await admin.connect();
  for (const setting of ['fsync = off', 'full_page_writes = off', 'autovacuum = off'])
    await admin.query(`alter system set ${setting}`);
  await admin.query('select pg_reload_conf()');
  await admin.end();
}
