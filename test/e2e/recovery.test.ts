import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { alive } from '../../server/core/postgres/process.ts';
import { signIn, whoAmI } from './calls.ts';
import { cleanUp, postgresOf, start, status, until } from './server-process.ts';

afterEach(cleanUp);

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

  test('OPS-2a of PostgreSQL, the server starts it again and goes on; meanwhile it says that it is away', async () => {
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
