import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { alive } from '../../server/core/postgres/process.ts';
import { askPostgres, whoAmI } from './calls.ts';
import { cleanUp, newFolder, postgresOf, refused, start, status } from './server-process.ts';

afterEach(cleanUp);

const mode = (file: string) => (statSync(file).mode & 0o777).toString(8);

describe('one command', () => {
  test('OPS-1b starts everything, says what to type next, and stops everything', async () => {
    const data = join(newFolder(), 'data');
    const server = await start({ data });
    expect(server.said()).toContain(`AGENTWORKS_DATA=${data} agentworks login`);
    expect(await status(`${server.url}/readyz`)).toBe(200);
    const self = JSON.parse(readFileSync(join(data, 'server.json'), 'utf8')) as Record<string, unknown>;
    expect(self).toEqual({
      version: '0.1.0',
      pid: server.pid,
      epoch: expect.stringMatching(/^epo_/) as string,
      url: server.url,
      socket: join(data, 'server.sock'),
    });
    expect(
      [data, 'login-key', 'server.json', 'server.sock'].map((name) => mode(join(data, name === data ? '' : name))),
    ).toEqual(['700', '600', '600', '600']);
    const postgres = postgresOf(data)!;

    expect(await server.kill()).toBe(0);
    expect(alive(postgres)).toBe(false);
    expect(readdirSync(data).toSorted()).toEqual(['login-key', 'postgres']);
  });

  test('in a clone the next command works as it is printed', async () => {
    const npm = { npm_package_name: 'agentworks', npm_package_json: '/home/ann/my clone/package.json' };
    const server = await start({ env: npm });
    expect(server.said()).toContain("cd '/home/ann/my clone' && AGENTWORKS_DATA=");
    expect(server.said()).toContain(' npx agentworks login\n');
  });

  test('the database checks its pages, knows every alphabet, and listens to nobody else', async () => {
    const { data } = await start();
    expect(await askPostgres(data, 'show data_checksums')).toEqual(['on']);
    expect(await askPostgres(data, "select lower('ÄÉЖ')")).toEqual(['äéж']);
    expect(await askPostgres(data, 'show listen_addresses')).toEqual(['']);
    expect(await askPostgres(data, 'show fsync')).toEqual(['on']);
  });

  test('a wrong setting is refused in one sentence', async () => {
    const { code, said } = await refused({ env: { AGENTWORKS_ADRESS: '127.0.0.1:1' } });
    expect(said).toBe('agentworks server: AGENTWORKS_ADRESS is not a setting; did you mean AGENTWORKS_ADDRESS?\n');
    expect(code).toBe(2);
  });
});

describe('the data folder', () => {
  test('has one server; a second says which, and harms nothing', async () => {
    const first = await start();
    const { code, said } = await refused({ data: first.data });
    expect(said).toContain(`is already served by the server with pid ${first.pid} at ${first.url};`);
    expect(code).toBe(1);
    expect(await whoAmI(first.url)).toEqual({ status: 401, reason: 'REASON_SIGNED_OUT' });
    expect(await status(`${first.url}/readyz`)).toBe(200);
    expect(existsSync(join(first.data, 'server.json'))).toBe(true);
    expect(await first.kill()).toBe(0);
    expect(postgresOf(first.data)).toBeUndefined();
  });

  test('served by two that start at the same moment has one server', async () => {
    const data = newFolder();
    const outcomes = await Promise.allSettled([start({ data }), start({ data })]);
    const won = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
    expect(won).toHaveLength(1);
    expect(await status(`${won[0]!.url}/readyz`)).toBe(200);
    expect(await won[0]!.kill()).toBe(0);
    expect(postgresOf(data)).toBeUndefined();
  });

  test('whose path is too long for a socket works', async () => {
    const base = newFolder();
    const data = join(base, 'ü'.repeat((200 - base.length - 1) / 2));
    expect(Buffer.byteLength(data)).toBeGreaterThanOrEqual(199);
    const server = await start({ data });
    expect(await status(`${server.url}/readyz`)).toBe(200);
    const { socket } = JSON.parse(readFileSync(join(data, 'server.json'), 'utf8')) as { socket: string };
    expect(Buffer.byteLength(socket)).toBeLessThan(104);
    expect(mode(join(socket, '..'))).toBe('700');
    expect(mode(socket)).toBe('600');
    expect(await server.kill()).toBe(0);
    expect(existsSync(socket)).toBe(false);
  });

  test('with other things in it, and open to others, is refused', async () => {
    const data = newFolder();
    writeFileSync(join(data, 'thesis.tex'), '');
    chmodSync(data, 0o755);
    const { code, said } = await refused({ data });
    expect(said).toContain('holds other things, and other users may enter it; set AGENTWORKS_DATA');
    expect(code).toBe(2);
    expect(readdirSync(data)).toEqual(['thesis.tex']);
  });

  test('that is empty and open to others is closed', async () => {
    const data = newFolder();
    chmodSync(data, 0o755);
    await start({ data });
    expect(mode(data)).toBe('700');
  });

  test('with half a database in it, as a killed first start leaves it, works', async () => {
    const data = newFolder();
    mkdirSync(join(data, 'postgres', 'cluster.999999999'), { recursive: true });
    writeFileSync(join(data, 'postgres', 'cluster.999999999', 'PG_VERSION'), '18\n');
    const server = await start({ data });
    expect(await status(`${server.url}/readyz`)).toBe(200);
    expect(readdirSync(join(data, 'postgres'))).not.toContain('cluster.999999999');
  });

  test('OPS-3b that a newer version has used is refused', async () => {
    const first = await start();
    await askPostgres(first.data, "insert into mikro_orm_migrations (name) values ('0099-from-the-future')");
    await first.kill();
    const { code, said } = await refused({ data: first.data });
    expect(said).toBe(
      'agentworks server: the database was migrated by a newer agentworks (0099-from-the-future); install that version or a newer one\n',
    );
    expect(code).toBe(2);
    expect(postgresOf(first.data)).toBeUndefined();
  });
});

test('a port that is taken is refused before anything is touched', async () => {
  const taken = createServer();
  await new Promise<void>((done) => taken.listen(0, '127.0.0.1', done));
  const { port } = taken.address() as { port: number };
  const data = newFolder();
  const { code, said } = await refused({ data, env: { AGENTWORKS_ADDRESS: `127.0.0.1:${port}` } });
  expect(said).toContain(`127.0.0.1:${port} is in use by another program`);
  expect(code).toBe(1);
  expect(readdirSync(data)).toEqual([]);
  taken.close();
});
