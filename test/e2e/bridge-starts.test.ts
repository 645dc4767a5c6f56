import { execFile, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { writeSignIn } from '../../bridge/account/config.ts';
import { findBridge } from '../../bridge/socket/find.ts';
import { bridgeEnv, startBridge } from '../../bridge/socket/start.ts';
import { type Where, whereIs } from '../../bridge/socket/where.ts';

let root: string;
let env: Record<string, string>;
let where: Where;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'agentworks-bridge-'));
  mkdirSync(join(root, 'run'), { mode: 0o700 });
  env = {
    HOME: root,
    PATH: process.env['PATH'] ?? '',
    XDG_RUNTIME_DIR: join(root, 'run'),
    AGENTWORKS_KEYRING: 'off',
  };
  // Its server is away: a bridge starts all the same.
  writeSignIn(env, { server: 'local', data: join(root, 'data'), connectionId: 'con_1', secret: 'secret' });
  where = whereIs(env);
});

afterEach(async () => {
  const running = await findBridge(where);
  if (running !== undefined) await ended(running.pid, 'SIGKILL');
  rmSync(root, { recursive: true, force: true });
});

async function ended(pid: number, signal: NodeJS.Signals): Promise<void> {
  process.kill(pid, signal);
  await expect.poll(() => isThere(pid), { timeout: 10_000 }).toBe(false);
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

const events = (): { event: string; pid: number }[] =>
  readFileSync(where.log, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { event: string; pid: number });

const cli = (...argv: string[]) =>
  promisify(execFile)(process.execPath, ['cli/entry.ts', ...argv], { env, encoding: 'utf8' });

test('BRG-1b 20 cold starts at once make one listener, and each is told of it', async () => {
  const started = await Promise.all(Array.from({ length: 20 }, () => startBridge(where, env)));
  expect(new Set(started.map(({ record }) => record.pid)).size).toBe(1);
  expect(events().filter(({ event }) => event === 'bridge.listening')).toHaveLength(1);
  expect(started.filter(({ isNew }) => isNew)).toHaveLength(1);
}, 60_000);

test('a killed bridge leaves a socket behind, and the next start takes its place', async () => {
  const { record } = await startBridge(where, env);
  await ended(record.pid, 'SIGKILL');
  expect(await findBridge(where)).toBeUndefined();
  const next = await startBridge(where, env);
  expect(next.isNew).toBe(true);
  expect(next.record.pid).not.toBe(record.pid);
});

test('BRG-8a start, status, restart, stop: each says how it stands, and stop leaves nothing running', async () => {
  await cli('bridge', 'start');
  const status = JSON.parse((await cli('bridge', 'status', '--json')).stdout) as { status: { pid: string } };
  const first = Number(status.status.pid);
  expect(isThere(first)).toBe(true);
  await cli('bridge', 'restart');
  expect((await findBridge(where))?.pid).not.toBe(first);
  expect((await cli('bridge', 'logs')).stdout).toContain('bridge.listening');
  await cli('bridge', 'stop');
  expect(await findBridge(where)).toBeUndefined();
  await expect(cli('bridge', 'status')).rejects.toMatchObject({ code: 21 });
});

test('a second bridge, started by hand, makes room for the first', async () => {
  const { record } = await startBridge(where, env);
  const second = spawn(process.execPath, ['bridge/main.ts'], { env, stdio: 'ignore' });
  expect(await new Promise((done) => second.on('exit', done))).toBe(0);
  expect((await findBridge(where))?.pid).toBe(record.pid);
});

test('BRG-8 signing out ends the bridge', async () => {
  const { record } = await startBridge(where, env);
  await cli('logout', '--forget');
  expect(isThere(record.pid)).toBe(false);
});

test('without a sign-in nothing starts, and the sentence says what to do', async () => {
  rmSync(where.config);
  await expect(startBridge(where, env)).rejects.toThrow(/agentworks login/);
  expect(await findBridge(where)).toBeUndefined();
});

test('ATT-2a.1 nothing that a chat tells its children goes with a bridge that it started', () => {
  const chat = { ...env, CLAUDE_CODE_SESSION_ID: 'x', CLAUDE_PID: '1', ANTHROPIC_API_KEY: 'k', CODEX_HOME: 'c' };
  expect(bridgeEnv(chat)).toEqual(env);
});
