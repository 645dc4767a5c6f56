import { randomUUID } from 'node:crypto';
import { inject } from 'vitest';
import { openClient, type Where } from '../../server/core/database.ts';

export const TEMPLATE = 'template';

export const whereIn = (socket: string, database: string): Where => ({ host: socket, user: 'agentworks', database });

/** A migrated database of one's own: about 0.1 s. */
export async function newDatabase(template = TEMPLATE): Promise<Where> {
  const name = `world_${randomUUID().replaceAll('-', '')}`;
  await administer(`create database "${name}" template "${template}"`);
  return whereIn(inject('postgresSocket'), name);
}

/** Fails when somebody is still connected: a server that closed has let go of everything. */
export const dropDatabase = (where: Where): Promise<void> => administer(`drop database "${where.database}"`);

async function administer(statement: string): Promise<void> {
  const admin = openClient(whereIn(inject('postgresSocket'), 'postgres'));
  await admin.connect();
  try {
    await admin.query(statement);
  } finally {
    await admin.end();
  }
}
