import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { connect } from '../../bridge/client/index.ts';
import { migrations } from '../../server/migrations/list.ts';
import { askPostgres, signIn } from './calls.ts';
import { cleanUp, newFolder, refused, type Served, start } from './server-process.ts';

afterEach(cleanUp);

const client = ({ url }: Served, secret: string) => connect({ address: url, secret, plaintext: true });

test('AGT-9c names, messages and sign-ins move with the data folder', async () => {
  const home = newFolder();
  const first = await start({ data: join(home, 'here') });
  const secret = await signIn(first.url, first.data);
  const before = client(first, secret);
  for (const agentName of ['alice', 'bob']) await before.agents.register({ agentName });
  const { messageId } = await before.send({ agentName: 'alice', target: 'agent:bob', body: 'hello' });
  before.close();
  expect(await first.kill()).toBe(0);

  renameSync(first.data, join(home, 'there'));
  const second = await start({ data: join(home, 'there') });
  const after = client(second, secret);
  const { messages } = await after.messages.read({ agentName: 'bob' });
  expect(messages).toMatchObject([{ messageId, fromAgent: 'alice', body: 'hello' }]);
  after.close();
  expect(await second.kill()).toBe(0);
});

test('OPS-2c every line of the log is JSON with an event, and none holds a body or a secret', async () => {
  const served = await start({ env: { AGENTWORKS_LOG_LEVEL: 'trace' } });
  const secret = await signIn(served.url, served.data);
  const agentworks = client(served, secret);
  for (const agentName of ['alice', 'bob']) await agentworks.agents.register({ agentName });
  const body = 'words that nobody else reads';
  await agentworks.send({ agentName: 'alice', target: 'agent:bob', body });
  await agentworks.messages.send({ agentName: 'alice', target: 'agent:nobody', body }).catch(() => {});
  await agentworks.messages.send({ target: 'agent:bob', body: `${body}\0` }).catch(() => {});
  await agentworks.messages.search({ query: body });
  const { secret: made } = await agentworks.access.createConnection({ label: 'program' });
  agentworks.close();
  expect(await served.kill()).toBe(0);
  const lines = served
    .said()
    .split('\n')
    .filter((line) => line.startsWith('{'));
  expect(lines.length).toBeGreaterThan(5);
  for (const line of lines) expect(JSON.parse(line)).toMatchObject({ event: expect.any(String) });
  for (const hidden of [body, secret, made]) expect(served.said()).not.toContain(hidden);
});

test('OPS-3d a PostgreSQL of one’s own is migrated by command', async () => {
  const owner = await start();
  await askPostgres(owner.data, 'create database another', 'postgres');
  const env = { DATABASE_URL: `postgresql://agentworks@/another?host=${join(owner.data, 'postgres')}` };
  const { code } = await refused({ env, args: ['migrate'] });
  expect(code).toBe(0);
  const migrated = await askPostgres(owner.data, 'select name from mikro_orm_migrations', 'another');
  expect(migrated).toEqual(migrations.map(({ name }) => name));

  const without = await refused({ args: ['migrate'] });
  expect(without.code).not.toBe(0);
  expect(without.said).toMatch(/DATABASE_URL is not set, and the embedded database is migrated by every start/);
});
