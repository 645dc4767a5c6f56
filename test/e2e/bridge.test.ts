import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { AttachOrigin } from '#gen/agentworks/agents/v1/attachments_pb.ts';
import type { BridgeStatus, Session } from '#gen/agentworks/bridge/v1/local_pb.ts';
import { openBridge } from '../../bridge/socket/ask.ts';
import { findBridge } from '../../bridge/socket/find.ts';
import { startBridge } from '../../bridge/socket/start.ts';
import { type Where, whereIs } from '../../bridge/socket/where.ts';
import { alive } from '../../server/core/postgres/process.ts';
import { cleanUp, newFolder, type Served, start, until } from './server-process.ts';

let home: string;
let env: Record<string, string>;
let where: Where;
let server: Served;
const hosts: ChildProcess[] = [];

/** One server for all of them; each has names of its own. */
let served = 0;
let alice: string;
let bob: string;

beforeAll(async () => {
  server = await start();
});
afterAll(cleanUp);

beforeEach(async () => {
  served += 1;
  [alice, bob] = [`alice-${served}`, `bob-${served}`];
  home = newFolder();
  chmodSync(home, 0o700);
  mkdirSync(join(home, 'sockets'), { mode: 0o700 });
  env = {
    HOME: home,
    PATH: process.env['PATH'] ?? '',
    XDG_RUNTIME_DIR: home,
    AGENTWORKS_KEYRING: 'off',
    AGENTWORKS_DATA: server.data,
  };
  where = whereIs(env);
  await cli('login');
  await cli('messages', 'register', '--agent', alice);
});

afterEach(async () => {
  for (const host of hosts.splice(0)) host.kill('SIGKILL');
  const running = await findBridge(where);
  if (running !== undefined) await kill(running.pid);
});

const cli = (...argv: string[]) =>
  promisify(execFile)(process.execPath, ['cli/entry.ts', ...argv], { env, encoding: 'utf8' });

async function kill(pid: number): Promise<void> {
  process.kill(pid, 'SIGKILL');
  await until(() => !alive(pid), 'the bridge is gone');
}

interface Host {
  readonly process: ChildProcess;
  readonly heard: string[];
}

async function openHost(): Promise<Host> {
  const socket = join(home, 'sockets', `${hosts.length}.sock`);
  const child = spawn(process.execPath, ['test/e2e/host-process.ts', home, socket], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  hosts.push(child);
  const lines = createInterface({ input: child.stdout });
  await once(lines, 'line');
  const heard: string[] = [];
  lines.on('line', (line) => heard.push(JSON.parse(line) as string));
  return { process: child, heard };
}

/** As a person does in a terminal: chooses the session from the list. */
async function attach(host: Host): Promise<Session> {
  await startBridge(where, env);
  const bridge = await openBridge(where);
  try {
    const { sessions } = await bridge.local.listSessions({});
    const chosen = sessions.find(({ process: one }) => Number(one?.pid) === host.process.pid);
    const { session } = await bridge.local.attach({
      agentName: bob,
      origin: AttachOrigin.TERMINAL,
      sessionKey: chosen?.sessionKey ?? '',
    });
    return session!;
  } finally {
    bridge.close();
  }
}

async function status(): Promise<BridgeStatus> {
  const bridge = await openBridge(where);
  try {
    return (await bridge.local.getStatus({})).status!;
  } finally {
    bridge.close();
  }
}

const send = (text: string) => cli('messages', 'send', '--agent', alice, '--target', `agent:${bob}`, '--message', text);

const bodies = ({ heard }: Host) => heard.map((text) => /^body:\n\| (.*)$/m.exec(text)?.[1]);

test('RTE-1 a message to an attached chat reaches that very session, through every process in between', async () => {
  const [host, other] = await Promise.all([openHost(), openHost()]);
  expect(await attach(host)).toMatchObject({ agentName: bob, provider: 'claude', route: 'claude-socket' });
  await send('good morning');
  await until(() => host.heard.length > 0, 'the chat hears it');
  expect(bodies(host)).toEqual(['good morning']);
  expect(other.heard).toEqual([]);
  const { stdout } = await cli('agents', 'list');
  expect(stdout).toContain(`${bob}\tlive\tclaude\tclaude-socket\t`);
});

test('BRG-4 a bridge that is killed and started again goes on, and says nothing twice', async () => {
  const host = await openHost();
  await attach(host);
  await send('one');
  await until(() => host.heard.length === 1, 'the chat hears the first');
  await kill((await findBridge(where))!.pid);
  await send('two');
  await cli('bridge', 'start');
  await until(() => host.heard.length > 1, 'the chat hears the second');
  expect(bodies(host)).toEqual(['one', 'two']);
  expect((await status()).sessions).toMatchObject([{ agentName: bob }]);
});

test('BRG-8a a stopped bridge keeps identities, and one that is started restores what was attached and attaches nothing', async () => {
  const [host, other] = await Promise.all([openHost(), openHost()]);
  await attach(host);
  await cli('bridge', 'stop');
  const offline = `${bob}\toffline\t`;
  await until(async () => (await cli('agents', 'list')).stdout.includes(offline), 'it shows offline');
  await send('while it was stopped');
  expect(host.heard).toEqual([]);
  await cli('bridge', 'start');
  await until(() => host.heard.length > 0, 'the chat hears what waited');
  expect((await status()).sessions).toMatchObject([{ agentName: bob }]);
  expect(other.heard).toEqual([]);
});

test('a server that is away for a while is found again, and what was sent in between arrives', async () => {
  const host = await openHost();
  await attach(host);
  const { data } = server;
  await server.kill();
  await until(async () => !(await status()).connected, 'the bridge notices');
  expect((await status()).problem).not.toBe('');
  server = await start({ data });
  await send('after the break');
  await until(() => host.heard.length > 0, 'the chat hears it');
  expect(bodies(host)).toEqual(['after the break']);
});

test('ATT-8 a chat that ends keeps its name and shows offline; what is sent to it waits', async () => {
  const host = await openHost();
  await attach(host);
  host.process.kill('SIGKILL');
  await until(async () => (await cli('agents', 'list')).stdout.includes(`${bob}\toffline\t`), 'it shows offline');
  await send('later');
  expect((await cli('messages', 'read', '--agent', bob)).stdout).toContain('later');
});

test('ATT-12 a cleared chat is another session: nothing more arrives in it until it is attached again', async () => {
  const host = await openHost();
  const first = await attach(host);
  host.process.stdin?.write('clear\n');
  await until(async () => (await status()).sessions.length === 0, 'the bridge lets the old session go');
  await send('for the old chat');
  const again = await attach(host);
  expect(again.sessionId).not.toBe(first.sessionId);
  await until(() => host.heard.length > 0, 'the chat hears what waited');
  expect(bodies(host)).toEqual(['for the old chat']);
});
