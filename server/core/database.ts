import { Migrator } from '@mikro-orm/migrations';
import { defineConfig, MikroORM, type Options } from '@mikro-orm/postgresql';
import pg from 'pg';
import { mendPool } from './mend-pool.ts';

export type Database = MikroORM;
export type Manager = MikroORM['em'];
type MigrationList = NonNullable<NonNullable<Options['migrations']>['migrationsList']>;

/** How PostgreSQL is reached: pg's own words, so that a socket folder and a URL are the same thing to everyone. */
export interface Where {
  readonly host: string;
  readonly port?: number;
  readonly user: string;
  readonly password?: string;
  readonly database: string;
  readonly ssl?: boolean;
}

/**
 * Until the first ANALYZE a new table looks empty to the planner, which then reads it whole: 47 ms a page after 20,000
 * rows, measured, where the index takes 1. Our hot statements always want the index; search asks for its bitmap itself.
 */
const PLANNING =
  '-c plan_cache_mode=force_custom_plan -c enable_seqscan=off -c enable_bitmapscan=off -c synchronous_commit=on -c TimeZone=UTC';

export const openDatabase = (
  where: Where,
  entities: NonNullable<Options['entities']>,
  migrations: MigrationList,
): Promise<Database> =>
  MikroORM.init(
    defineConfig({
      entities,
      host: where.host,
      ...(where.port === undefined ? {} : { port: where.port }),
      user: where.user,
      ...(where.password === undefined ? {} : { password: where.password }),
      dbName: where.database,
      driverOptions: {
        ...(where.ssl === true ? { ssl: true } : {}),
        options: PLANNING,
        application_name: 'agentworks',
        onPoolCreated: mendPool,
      },
      extensions: [Migrator],
      migrations: { migrationsList: migrations, snapshot: false, disableForeignKeys: false },
      pool: { min: 1, max: 10 },
      logger: () => {}, // The migrator writes to stdout, which is not ours to fill.
    }),
  );

/** A connection of its own, for what a pool cannot do: LISTEN, NOTIFY and session locks. */
export const openClient = (where: Where): pg.Client =>
  new pg.Client({
    host: where.host,
    ...(where.port === undefined ? {} : { port: where.port }),
    user: where.user,
    ...(where.password === undefined ? {} : { password: where.password }),
    database: where.database,
    ...(where.ssl === true ? { ssl: true } : {}),
    keepAlive: true,
    connectionTimeoutMillis: 5_000,
    application_name: 'agentworks',
  });

const MIGRATION_LOCK = 7717;

/** Two nodes that start together migrate once: the second waits for the lock, then finds nothing to do (OPS-3). */
export async function migrate(where: Where, orm: Database, migrations: MigrationList): Promise<void> {
  const lock = openClient(where);
  await lock.connect();
  try {
    await lock.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await refuseNewer(orm, migrations);
    await orm.migrator.up();
  } finally {
    await lock.end();
  }
}

async function refuseNewer(orm: Database, migrations: MigrationList): Promise<void> {
  const known = new Set(
    migrations.map((migration) => (typeof migration === 'function' ? migration.name : migration.name)),
  );
  const newer = (await orm.migrator.getExecuted()).find((row) => !known.has(row.name));
  if (newer !== undefined)
    throw new Error(`the database was migrated by a newer agentworks (${newer.name}); install that version or newer`);
}

/** Time as the database gives it: `em.execute` leaves timestamps as text, with a space and a two-digit offset. */
export const readTime = (text: string): Date => new Date(text.replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00'));
