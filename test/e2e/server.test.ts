import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, describe, expect, test } from 'vitest';
import { alive } from '../../server/core/postgres/process.ts';
import { cleanUp, newFolder, postgresOf, refused, start, status, until } from './server-process.ts';

afterEach(cleanUp);

const isRoot = process.getuid?.() === 0;
const mode = (file: string) => (statSync(file).mode & 0o777).toString(8);

interface Answer {
  readonly status: number;
  readonly reason: string | undefined;
}

async function whoAmI(url: string, secret = ''): Promise<Answer> {
  const answer = await fetch(`${url}/agentworks.access.v1.AccessService/WhoAmI`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(secret === '' ? {} : { authorization: `Bearer ${secret}` }) },
    body: '{}',
  });
  const body = (await answer.json()) as { details?: { debug: { reason: string } }[] };
  return { status: answer.status, reason: body.details?.[0]?.debug.reason };
}

async function signIn(url: string, data: string): Promise<string> {
  const loginKey = readFileSync(join(data, 'login-key'), 'utf8').trim();
  const answer = await fetch(`${url}/agentworks.access.v1.AccessService/Login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ loginKey }),
  });
  return ((await answer.json()) as { secret: string }).secret;
}

async function ask(data: string, statement: string, database = 'agentworks'): Promise<unknown[]> {
  const client = new pg.Client({ host: join(data, 'postgres'), user: 'agentworks', database });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows.map((row) => Object.values(row)[0]);
  } finally {
    await client.end();
  }
}

describe('one command', () => {
  test('starts everything, says what to type next, and stops everything', async () => {
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
    expect(await ask(data, 'show data_checksums')).toEqual(['on']);
    expect(await ask(data, "select lower('ÄÉЖ')")).toEqual(['äéж']);
    expect(await ask(data, 'show listen_addresses')).toEqual(['']);
    expect(await ask(data, 'show fsync')).toEqual(['on']);
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

  test('that a newer version has used is refused', async () => {
    const first = await start();
    await ask(first.data, "insert into mikro_orm_migrations (name) values ('0099-from-the-future')");
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

describe('after kill -9', () => {
  test('of the server, the next one takes its PostgreSQL over, and its stop', async () => {
    const first = await start();
    const secret = await signIn(first.url, first.data);
    const postgres = postgresOf(first.data)!;
    await first.kill('SIGKILL');
    expect(alive(postgres)).toBe(true);

    const second = await start({ data: first.data });
    expect(postgresOf(first.data)).toBe(postgres);
    expect(await whoAmI(second.url, secret)).toEqual({ status: 200, reason: undefined });
    expect(await second.kill()).toBe(0);
    expect(alive(postgres)).toBe(false);
  });

  test('of PostgreSQL, the server starts it again and goes on; meanwhile it says that it is away', async () => {
    const server = await start();
    const secret = await signIn(server.url, server.data);
    const postgres = postgresOf(server.data)!;
    process.kill(postgres, 'SIGKILL');
    const answers = new Set<string>();
    await until(async () => {
      const answer = await whoAmI(server.url, secret);
      answers.add(answer.reason ?? 'OK');
      return answers.size > 1 && answer.status === 200;
    }, 'calls are answered again');
    expect([...answers].toSorted()).toEqual(['OK', 'REASON_UNAVAILABLE']);
    await until(async () => (await status(`${server.url}/readyz`)) === 200, 'it is ready');
    expect(postgresOf(server.data)).not.toBe(postgres);
    expect(server.said()).not.toContain('rpc.bug');
    expect(await server.kill()).toBe(0);
    expect(postgresOf(server.data)).toBeUndefined();
  });

  test('of a PostgreSQL that was taken over, too', async () => {
    const first = await start();
    await first.kill('SIGKILL');
    const second = await start({ data: first.data });
    const postgres = postgresOf(first.data)!;
    process.kill(postgres, 'SIGKILL');
    await until(() => (postgresOf(first.data) ?? postgres) !== postgres, 'PostgreSQL runs again');
    await until(async () => (await status(`${second.url}/readyz`)) === 200, 'it is ready');
    expect(await second.kill()).toBe(0);
    expect(postgresOf(first.data)).toBeUndefined();
  });

  test('of both, in a container where the old process number is in use again', async () => {
    const first = await start();
    const postgres = postgresOf(first.data)!;
    await first.kill('SIGKILL');
    process.kill(postgres, 'SIGKILL');
    await until(() => !alive(postgres), 'PostgreSQL is gone');
    for (const lock of ['cluster/postmaster.pid', '.s.PGSQL.5432.lock']) {
      const file = join(first.data, 'postgres', lock);
      writeFileSync(file, readFileSync(file, 'utf8').replace(/^\d+/, String(process.pid)));
    }
    const second = await start({ data: first.data });
    expect(await status(`${second.url}/readyz`)).toBe(200);
  });
});

test('a DATABASE_URL is all it takes to use another PostgreSQL, which keeps running', async () => {
  const owner = await start();
  await ask(owner.data, 'create database another', 'postgres');
  const url = `postgresql://agentworks@/another?host=${join(owner.data, 'postgres')}`;
  const one = await start({ env: { DATABASE_URL: url } });
  const two = await start({ env: { DATABASE_URL: url } });
  expect(existsSync(join(one.data, 'postgres'))).toBe(false);
  const secret = await signIn(one.url, one.data);
  expect(await whoAmI(two.url, secret)).toEqual({ status: 200, reason: undefined });
  expect(await one.kill()).toBe(0);
  expect(await whoAmI(two.url, secret)).toEqual({ status: 200, reason: undefined });
  expect(await two.kill()).toBe(0);
  expect(await status(`${owner.url}/readyz`)).toBe(200);
});

test('a DATABASE_URL that leads nowhere is refused in one sentence, without the password', async () => {
  const { code, said } = await refused({ env: { DATABASE_URL: 'postgresql://ann:s3cret@127.0.0.1:1/agentworks' } });
  expect(said).toMatch(/^agentworks server: the PostgreSQL of DATABASE_URL .* cannot be used: .*ECONNREFUSED.*\n$/);
  expect(said).not.toContain('s3cret');
  expect(code).toBe(1);
});

test.runIf(isRoot)('as root on a machine without user namespaces it says what to do', async () => {
  const data = newFolder();
  const programs = join(data, 'bin');
  mkdirSync(programs);
  const unshare = join(programs, 'unshare');
  writeFileSync(unshare, '#!/bin/sh\necho "unshare: unshare failed: No space left on device" >&2\nexit 1\n', {
    mode: 0o755,
  });
  const { code, said } = await refused({
    data: join(data, 'data'),
    env: { PATH: `${programs}:${process.env['PATH']}` },
  });
  expect(said).toBe(
    'agentworks server: PostgreSQL refuses to run as root, and this machine allows no user namespace (unshare: unshare failed: No space left on device); run agentworks as an ordinary user, or set DATABASE_URL to a PostgreSQL of yours\n',
  );
  expect(code).toBe(1);
});

const nobody = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', process.execPath];

/** Why an ordinary user cannot be tried here. */
function whyNot(): string | undefined {
  if (!isRoot) return 'these tests run as one, so every other one shows it';
  try {
    execFileSync(nobody[0]!, [...nobody.slice(1), '--version'], { stdio: 'ignore' });
    return undefined;
  } catch {
    return 'nobody may not run this Node, or setpriv is not installed';
  }
}

test.skipIf(whyNot() !== undefined)(
  `an ordinary user may run it${whyNot() === undefined ? '' : `: ${whyNot()}`}`,
  async () => {
    const folder = newFolder();
    chmodSync(folder, 0o777);
    const server = await start({ data: join(folder, 'data'), command: nobody });
    expect(await status(`${server.url}/readyz`)).toBe(200);
    expect(statSync(join(server.data, 'postgres', 'cluster')).uid).toBe(65_534);
    await signIn(server.url, server.data);
    expect(await server.kill()).toBe(0);
  },
);
