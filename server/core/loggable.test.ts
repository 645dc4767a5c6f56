import { inject, expect, test } from 'vitest';
import { openClient } from './database.ts';
import { loggable } from './loggable.ts';

const where = { host: inject('postgresSocket'), user: 'agentworks', database: 'postgres' };

async function failure(statement: string, ...values: string[]): Promise<unknown> {
  const client = openClient(where);
  await client.connect();
  try {
    await client.query('create temp table note (body text check (length(body) < 3), primary key (body))');
    await client.query("insert into note values ('ab')");
    return await client.query(statement, values).catch((error: unknown) => error);
  } finally {
    await client.end();
  }
}

test.each([
  [
    'a rule of a table',
    'insert into note values ($1)',
    'a secret body',
    { code: '23514', constraint: 'note_body_check' },
  ],
  ['a key', 'insert into note values ($1)', 'ab', { code: '23505', table: 'note' }],
  ['a type', 'select $1::text::int', 'a secret body', { code: '22P02' }],
])('what breaks %s is logged without its value', async (_what, statement, value, expected) => {
  const logged = loggable(await failure(statement, value));
  expect(logged).toMatchObject(expected);
  expect(JSON.stringify(logged)).not.toContain('secret');
  expect(JSON.stringify(logged)).not.toContain('(ab)');
});

test('what MikroORM adds to the message is left out', () => {
  const error = new Error('violates check "c"\n - detail: Failing row contains (a secret body).');
  expect(loggable(error)).toMatchObject({ message: 'violates check "c"' });
});

test('text that could not be read is not repeated', () => {
  let logged: unknown;
  try {
    JSON.parse('{"body": a secret body}');
  } catch (error) {
    logged = loggable(error);
  }
  expect(logged).toMatchObject({ type: 'SyntaxError' });
  expect(JSON.stringify(logged)).not.toContain('secret');
});

test('where it happened is kept, with what caused it', () => {
  const logged = loggable(new TypeError('x is not a function', { cause: new Error('deeper') }));
  expect(logged).toMatchObject({
    type: 'TypeError',
    message: 'x is not a function',
    stack: expect.stringMatching(/^ {4}at .*loggable\.test\.ts/) as string,
    cause: { type: 'Error', message: 'deeper' },
  });
});

test('what is thrown and is no error has only a type', () => {
  expect(loggable('a secret body')).toEqual({ type: 'string' });
});
