import { expect, test } from 'vitest';
import { parseDatabaseUrl } from './database-url.ts';

test.each([
  [
    'postgresql://ann@db.example.com/agentworks',
    { host: 'db.example.com', port: 5432, user: 'ann', database: 'agentworks' },
  ],
  ['postgres://ann:p%40ss@db:6000/a', { host: 'db', port: 6000, user: 'ann', password: 'p@ss', database: 'a' }],
  ['postgresql://ann@[::1]:6000/a', { host: '::1', port: 6000, user: 'ann', database: 'a' }],
  ['postgresql://ann@/a?host=/run/pg', { host: '/run/pg', port: 5432, user: 'ann', database: 'a' }],
  ['postgresql://ann@%2Frun%2Fpg/a', { host: '/run/pg', port: 5432, user: 'ann', database: 'a' }],
  ['postgresql:///a?host=/run/pg&user=ann', { host: '/run/pg', port: 5432, user: 'ann', database: 'a' }],
  ['postgresql://ann@db', { host: 'db', port: 5432, user: 'ann', database: 'ann' }],
  ['postgresql://ann@db/a?sslmode=require', { host: 'db', port: 5432, user: 'ann', database: 'a', ssl: true }],
  ['postgresql://ann@db/a?sslmode=disable', { host: 'db', port: 5432, user: 'ann', database: 'a' }],
])('%s', (url, where) => {
  expect(parseDatabaseUrl(url)).toEqual(where);
});

test.each([
  ['db.example.com', 'is not a PostgreSQL URL'],
  ['postgresql://db/a', 'names no user'],
  ['postgresql://ann@db/a?sslmode=prefer', 'has sslmode=prefer; it may be disable, require or verify-full'],
  ['postgresql://ann@db/a?pool=5', 'has "pool", which is not understood here'],
])('%s is refused: it %s', (url, sentence) => {
  expect(() => parseDatabaseUrl(url)).toThrow(sentence);
});
