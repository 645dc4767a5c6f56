import { Migrator } from '@mikro-orm/migrations';
import { defineConfig, MikroORM, type Options } from '@mikro-orm/postgresql';
import pg from 'pg';
import { mendPool } from './mend-pool.ts';
import { StartRefusal } from './start-refusal.ts';

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
 * With that settled, one plan is as good for every value, and planning anew costs more than running it.
 */
const PLANNING =
  '-c plan_cache_mode=force_generic_plan -c enable_seqscan=off -c enable_bitmapscan=off -c synchronous_commit=on -c TimeZone=UTC';

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

/**
 * Two nodes that start together migrate once: the second waits for the lock, then finds nothing to do (OPS-3). With
 * `onlyEmpty` a database that holds something is left as it is: others may be using it, and its owner decides when.
 */
export async function migrate(
  where: Where,
  orm: Database,
  migrations: MigrationList,
  { onlyEmpty = false } = {},
): Promise<void> {
  const lock = openClient(where);
  await lock.connect();
  try {
    await lock.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    const executed = new Set((await orm.migrator.getExecuted()).map((row) => row.name));
    const known = new Set(migrations.map((migration) => migration.name));
    const newer = [...executed].find((name) => !known.has(name));
    if (newer !== undefined)
      throw new StartRefusal(
        `the database was migrated by a newer agentworks (${newer}); install that version or a newer one`,
        2,
      );
    if (onlyEmpty && executed.size > 0 && executed.size < known.size)
      throw new StartRefusal(
        'the database was made by an older agentworks; back it up, stop its other servers, and run `agentworks migrate`',
        2,
      );
    await orm.migrator.up();
  } finally {
    await lock.end();
  }
}

/** Time as the database gives it: `em.execute` leaves timestamps as text, with a space and a two-digit offset. */
export const readTime = (text: string): Date => new Date(text.replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00'));
