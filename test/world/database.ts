import { randomUUID } from 'node:crypto';
import { setTimeout as later } from 'node:timers/promises';
import type pg from 'pg';
import { inject } from 'vitest';
import { openClient, type Where } from '../../server/core/database.ts';

export const TEMPLATE = 'template';

export const whereIn = (socket: string, database: string): Where => ({ host: socket, user: 'agentworks', database });

/** Migrated, empty and free: making one costs more than emptying it. */
const idle: Where[] = [];

/** A migrated database of one's own. */
export const takeDatabase = async (): Promise<Where> => idle.pop() ?? (await newDatabase());

/** Fails when somebody is still connected: a server that closed has let go of everything. */
export async function giveBack(where: Where): Promise<void> {
  await administer(where.database, async (admin) => {
    await alone(admin);
    await admin.query(`set session_replication_role = replica; ${await emptying(admin)}`);
  });
  idle.push(where);
}

/** One that nobody had before, for a test that looks at files, sizes or the database itself. */
export async function newDatabase(template = TEMPLATE): Promise<Where> {
  const name = `world_${randomUUID().replaceAll('-', '')}`;
  await administer('postgres', (admin) => admin.query(`create database "${name}" template "${template}"`));
  return whereIn(inject('postgresSocket'), name);
}

export const dropDatabase = (where: Where): Promise<void> =>
  administer('postgres', (admin) => admin.query(`drop database "${where.database}"`));

async function alone(admin: pg.Client): Promise<void> {
  // A vacuum that happens to run is nobody's.
  const others = `select application_name, state, query, wait_event from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`;
  for (let tries = 0; ; tries++) {
    const { rows } = await admin.query<object>(others);
    if (rows.length === 0) return;
    if (tries === 100) throw new Error(`left open: a connection to the database, ${JSON.stringify(rows)}`);
    await later(20);
  }
}

async function emptying(admin: pg.Client): Promise<string> {
  const { rows } = await admin.query<{ statements: string }>(
    `select string_agg(format('delete from %I', tablename), ';') as statements from pg_tables
      where schemaname = 'public' and tablename not in ('epoch', 'mikro_orm_migrations')`,
  );
  return rows[0]!.statements;
}

async function administer(database: string, act: (admin: pg.Client) => Promise<unknown>): Promise<void> {
  const admin = openClient(whereIn(inject('postgresSocket'), database));
  await admin.connect();
  try {
    await act(admin);
  } finally {
    await admin.end();
  }
}
