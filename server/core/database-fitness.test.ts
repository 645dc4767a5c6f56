import { expect, inject, test } from 'vitest';
import { refuseUnfitDatabase } from './database-fitness.ts';
import { openClient, type Where } from './database.ts';

const where: Where = { host: inject('postgresSocket'), user: 'agentworks', database: 'postgres' };

test('OPS-1a.2 the PostgreSQL of these tests, which saves time by not flushing, is refused', async () => {
  await expect(refuseUnfitDatabase(where)).rejects.toThrow('runs with fsync=off');
});

test('OPS-1a.2 two sessions with one process are a pooler', async () => {
  const only = openClient(where);
  // As PgBouncer does in transaction mode: whoever asks next gets the connection that the last one gave back.
  const lent = new Proxy(only, {
    get: (client, name) => {
      if (name === 'connect' || name === 'end') return () => Promise.resolve();
      const value: unknown = Reflect.get(client, name);
      return typeof value === 'function' ? value.bind(client) : value;
    },
  });
  await only.connect();
  try {
    await expect(refuseUnfitDatabase(where, () => lent)).rejects.toThrow('through a pooler that keeps no sessions');
  } finally {
    await only.end();
  }
});

test.each([
  [{ version: 130_004 }, 'is version 13; it must be 14 or newer'],
  [{ encoding: 'SQL_ASCII' }, 'has the encoding SQL_ASCII'],
  [{ fsync: false }, 'runs with fsync=off'],
  [{ pages: false }, 'runs with full_page_writes=off'],
  [{ standby: true }, 'is a standby'],
])('%j is refused: it %s', async (fact, sentence) => {
  const answers = { version: 180_004, encoding: 'UTF8', fsync: true, pages: true, standby: false, ...fact };
  let sessions = 0;
  const open = () => {
    const pid = ++sessions;
    return {
      on: () => {},
      connect: () => Promise.resolve(),
      end: () => Promise.resolve(),
      query: (text: string) => Promise.resolve({ rows: [text.includes('pg_backend_pid') ? { pid } : answers] }),
    } as never;
  };
  await expect(refuseUnfitDatabase(where, open)).rejects.toThrow(sentence);
});

test('one that is not there is named, and the password is not', async () => {
  const away = { ...where, host: '/nowhere', password: 'secret' };
  const refused = await refuseUnfitDatabase(away).catch((error: Error) => error.message);
  expect(refused).toContain('(/nowhere, database postgres) cannot be used');
  expect(refused).not.toContain('secret');
});
