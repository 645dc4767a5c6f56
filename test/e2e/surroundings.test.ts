import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { askPostgres, signIn, whoAmI } from './calls.ts';
import { cleanUp, newFolder, refused, start, status } from './server-process.ts';

afterEach(cleanUp);

const isRoot = process.getuid?.() === 0;

test('OPS-1e, OPS-1f a DATABASE_URL is all it takes to use another PostgreSQL, which keeps running', async () => {
  const owner = await start();
  await askPostgres(owner.data, 'create database another', 'postgres');
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
