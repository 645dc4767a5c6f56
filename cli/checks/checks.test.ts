import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { newCli } from '../../test/world/cli-run.ts';
import { StubServer } from '../../test/world/stub-server.ts';
import { checkLocalServer, checkNode } from './computer.ts';
import { checkClock, checkVersions } from './server.ts';

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'agentworks-doctor-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('doctor on a computer with nothing on it says what is missing and what to do, and fails', async () => {
  const { code, out } = await newCli(folder)(['doctor', '--json']);
  expect(code).toBe(1);
  const { checks } = JSON.parse(out) as { checks: { name: string; state: string; found: string; remedy: string }[] };
  expect(checks.map(({ name, state }) => [name, state])).toEqual([
    ['node', 'ok'],
    ['config', 'warn'],
    ['server', 'fail'],
  ]);
  expect(checks[1]!.remedy).toContain('agentworks login');
  expect(checks[2]!.found).toContain('agentworks server');
});

test('a server.json left by a server that was killed is a failure that says so', async () => {
  await using server = new StubServer(() => {});
  await server.listen();
  const data = join(server.folder, 'data');
  mkdirSync(data, { mode: 0o700 });
  const announced = { version: '0.1.0', epoch: 'epo_1', url: 'http://127.0.0.1:1', socket: server.socket };
  const { pid } = spawnSync(process.execPath, ['--version']);
  writeFileSync(join(data, 'server.json'), JSON.stringify({ ...announced, pid }), { mode: 0o600 });
  expect(checkLocalServer(data)).toMatchObject({
    check: { state: 'fail', found: `server.json is left from pid ${pid} that no longer runs` },
  });
  writeFileSync(join(data, 'server.json'), JSON.stringify({ ...announced, pid: process.pid }));
  expect(checkLocalServer(data).check.state).toBe('ok');
});

test('an old Node is a failure, and newer ones are not', () => {
  expect(checkNode('20.20.2').state).toBe('fail');
  expect(checkNode('22.17.0').state).toBe('fail');
  expect(checkNode('22.18.0').state).toBe('ok');
  expect(checkNode('24.0.0').state).toBe('ok');
});

test('versions that differ are a warning that says which to update first', () => {
  expect(checkVersions('0.1.0', '0.1.0').state).toBe('ok');
  expect(checkVersions('0.1.0', '0.2.0')).toMatchObject({
    state: 'warn',
    remedy: expect.stringContaining('server first'),
  });
});

test('clocks more than 30 s apart are a warning that says which way', () => {
  const now = new Date('2026-12-01T12:00:00Z');
  expect(checkClock(new Date('2026-12-01T12:00:29Z'), now).state).toBe('ok');
  expect(checkClock(new Date('2026-12-01T12:05:00Z'), now)).toMatchObject({
    state: 'warn',
    found: "300 s behind the server's",
  });
  expect(checkClock(new Date('2026-12-01T11:55:00Z'), now).found).toContain('ahead of');
});
