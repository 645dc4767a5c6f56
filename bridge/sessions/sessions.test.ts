import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Activity } from '#gen/agentworks/bridge/v1/local_pb.ts';
import { lineOf } from './ancestry.ts';
import { isAlive, processKey } from './process-key.ts';
import { type HostSession, sessionKeyOf, type Sessions } from './session.ts';
import { openSessions } from './sessions.ts';

let root: string;
let sessions: Sessions;
let children: ChildProcess[];

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'agentworks-sessions-'));
  mkdirSync(join(root, '.claude', 'sessions'), { recursive: true, mode: 0o700 });
  mkdirSync(join(root, 'sockets'), { mode: 0o700 });
  children = [];
  sessions = openSessions({ HOME: root }, 20);
});
afterEach(async () => {
  sessions.close();
  await Promise.all(children.map(ended));
  rmSync(root, { recursive: true, force: true });
});

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

/** Stands for a host: listens on the socket it is given, and answers the process numbers of the shells it is told to start. */
const HOST = `
  const { spawn } = require('node:child_process');
  process.umask(0o177);
  require('node:net').createServer().listen(process.argv[2], () => process.send('ready'));
  process.umask(0o022);
  process.on('message', () => process.send(spawn('sleep', ['60'], { stdio: 'ignore' }).pid));
  process.on('disconnect', () => process.exit());
`;

interface Host {
  readonly pid: number;
  readonly process: ChildProcess;
  readonly socket: string;
  /** A process below it. */
  shell(): Promise<number>;
}

const shells: number[] = [];
afterEach(() => {
  for (const pid of shells.splice(0))
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It went with its host.
    }
});

async function host(name = 'host', env: NodeJS.ProcessEnv = {}): Promise<Host> {
  const script = join(root, 'host.cjs');
  writeFileSync(script, HOST);
  const socket = join(root, 'sockets', `${name}.sock`);
  const child = fork(script, [socket], { execArgv: [], env: { PATH: process.env['PATH'], ...env } });
  children.push(child);
  await once(child, 'message');
  return {
    pid: child.pid!,
    process: child,
    socket,
    async shell() {
      child.send('shell');
      const [pid] = (await once(child, 'message')) as [number];
      shells.push(pid);
      return pid;
    },
  };
}

const folderOf = (config = join(root, '.claude')) => join(config, 'sessions');

function register({ pid, socket }: Host, said: object = {}, folder = folderOf()): void {
  const registration = {
    pid,
    sessionId: 'session-one-0001',
    cwd: '/project',
    startedAt: 1_796_000_000_000,
    procStart: processKey(pid)!.startTime,
    version: '2.1.332',
    kind: 'interactive',
    messagingSocketPath: socket,
    name: 'fix the tests',
    status: 'idle',
    ...said,
  };
  writeFileSync(join(folder, `${pid}.json`), JSON.stringify(registration), { mode: 0o644 });
}

const asker = (pid: number, sessionId = '') => ({ provider: 'claude', pid: BigInt(pid), sessionId });

test('BRG-9a a process is known by number, start time and boot; a number given out again is another process', async () => {
  const key = processKey(process.pid)!;
  expect(key).toMatchObject({
    pid: process.pid,
    startTime: expect.stringMatching(/\d/),
    bootId: expect.stringMatching(/./),
  });
  expect(isAlive(key)).toBe(true);
  expect(isAlive({ ...key, startTime: `${key.startTime}1` })).toBe(false);
  expect(isAlive({ ...key, bootId: 'another boot' })).toBe(false);
  expect(processKey(-1)).toBeUndefined();
  expect(processKey(4_194_305)).toBeUndefined();
});

test('a process whose name imitates the fields after it is read right', async () => {
  const name = join(root, ') S 1 (');
  symlinkSync('/bin/sleep', name);
  const child = spawn(name, ['60'], { stdio: 'ignore', argv0: ') S 1 (' });
  children.push(child);
  await once(child, 'spawn');
  expect(lineOf(child.pid!).slice(0, 2)).toEqual([child.pid, process.pid]);
});

test('a dead process that nobody has buried is dead', async () => {
  const script = "const c=require('node:child_process').spawn('true');process.send(c.pid);for(;;);";
  writeFileSync(join(root, 'parent.cjs'), script);
  const parent = fork(join(root, 'parent.cjs'), { execArgv: [] });
  children.push(parent);
  const [pid] = (await once(parent, 'message')) as [number];
  const isDead = () => /^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  await expect.poll(isDead).toBe(true);
  expect(processKey(pid)).toBeUndefined();
});

test('a registered session is found with what its host says, and its socket is checked', async () => {
  const one = await host();
  register(one);
  expect(sessions.discover()).toEqual([
    {
      provider: 'claude',
      sessionId: 'session-one-0001',
      process: processKey(one.pid),
      folder: '/project',
      config: join(root, '.claude'),
      title: 'fix the tests',
      activity: Activity.IDLE,
      startTime: new Date(1_796_000_000_000),
      version: '2.1.332',
      socket: one.socket,
    },
  ]);
});

test.each([
  ['of another number', { pid: 1 }],
  ['of another start: its number was given out again', { procStart: '1' }],
  ['with an id that is a path', { sessionId: '../../etc/passwd' }],
  ['without an id', { sessionId: undefined }],
])('BRG-9a a registration %s is not believed', async (_, said) => {
  const one = await host();
  register(one, said);
  expect(sessions.discover()).toEqual([]);
  expect(() => sessions.resolve(asker(one.pid))).toThrow(/does not run below a live Claude Code session/);
});

test.each(['', 'null', '{', '[]', '"text"'])('a registration that reads %j is passed over', async (text) => {
  const one = await host();
  register(one);
  writeFileSync(join(folderOf(), `${one.pid}.json`), text);
  expect(sessions.discover()).toEqual([]);
});

test('a registration that others could have written, or that is a link, is not believed', async () => {
  const one = await host();
  register(one);
  const file = join(folderOf(), `${one.pid}.json`);
  chmodSync(file, 0o666);
  expect(sessions.discover()).toEqual([]);
  chmodSync(file, 0o644);
  expect(sessions.discover()).toHaveLength(1);
  writeFileSync(join(root, 'elsewhere'), readFileSync(file), { mode: 0o644 });
  rmSync(file);
  symlinkSync(join(root, 'elsewhere'), file);
  expect(sessions.discover()).toEqual([]);
});

test('RTE-12a a socket that others reach, that is no socket, or that another process listens on, is not used', async () => {
  const one = await host();
  const why = (said: object = {}) => {
    register(one, said);
    const [session] = sessions.discover();
    expect(session?.socket).toBeUndefined();
    return session?.noSocket;
  };
  expect(why({ messagingSocketPath: undefined })).toMatch(/no messaging socket/);
  expect(why({ messagingSocketPath: join(root, 'host.cjs') })).toMatch(/not a socket/);
  expect(why({ messagingSocketPath: join(root, 'nowhere', 'x') })).toMatch(/not there/);
  const other = createServer();
  const foreign = join(root, 'sockets', 'other.sock');
  await new Promise<void>((done) => other.listen(foreign, done));
  chmodSync(foreign, 0o600);
  expect(why({ messagingSocketPath: foreign })).toMatch(/another process listens/);
  await new Promise((done) => other.close(done));
  chmodSync(one.socket, 0o666);
  expect(why()).toMatch(/others can reach it/);
  chmodSync(one.socket, 0o600);
  chmodSync(join(root, 'sockets'), 0o755);
  expect(why()).toMatch(/others can reach it/);
});

test('BRG-9 a shell below a host is of that host’s session, whatever else runs', async () => {
  const [one, two] = await Promise.all([host('one'), host('two')]);
  register(one);
  register(two, { sessionId: 'session-two-0002' });
  expect(sessions.resolve(asker(await one.shell())).sessionId).toBe('session-one-0001');
  expect(sessions.resolve(asker(await two.shell())).sessionId).toBe('session-two-0002');
  expect(sessions.resolve(asker(two.pid, 'session-two-0002')).process.pid).toBe(two.pid);
});

test('ATT-2a.1 an id inherited from another chat chooses no session', async () => {
  const [one, two] = await Promise.all([host('one'), host('two')]);
  register(one);
  register(two, { sessionId: 'session-two-0002' });
  const shell = await one.shell();
  expect(() => sessions.resolve(asker(shell, 'session-two-0002'))).toThrow(/says it is of session-two-0002/);
});

test('a process below no host, and a host that is not known, are refused by name', async () => {
  expect(() => sessions.resolve(asker(process.pid))).toThrow(/does not run below a live/);
  expect(() => sessions.resolve(asker(0))).toThrow(/is not running/);
  expect(() => sessions.resolve({ ...asker(process.pid), provider: 'other' })).toThrow(/Sessions of other/);
});

test('a chat that keeps its settings elsewhere is found by asking from it, and from then on', async () => {
  const config = join(root, 'elsewhere');
  mkdirSync(folderOf(config), { recursive: true, mode: 0o700 });
  const one = await host('one', { CLAUDE_CONFIG_DIR: config });
  register(one, {}, folderOf(config));
  expect(sessions.discover()).toEqual([]);
  expect(sessions.resolve(asker(await one.shell())).sessionId).toBe('session-one-0001');
  expect(sessions.discover()).toHaveLength(1);
});

test('a chosen session is the one that was listed, or is refused', async () => {
  const one = await host();
  register(one);
  const key = sessionKeyOf(sessions.discover()[0]!);
  expect(sessions.chosen(key).process.pid).toBe(one.pid);
  register(one, { sessionId: 'session-new-0009' });
  expect(() => sessions.chosen(key)).toThrow(/no longer there/);
});

test('/clear gives the process another session, a turn another activity, and its end is told once', async () => {
  const one = await host();
  register(one);
  const told: (HostSession | undefined)[] = [];
  sessions.watch(sessions.discover()[0]!, (now) => void told.push(now));
  register(one, { status: 'busy' });
  await expect.poll(() => told.at(-1)?.activity).toBe(Activity.BUSY);
  register(one, { sessionId: 'session-new-0009', status: 'idle' });
  await expect.poll(() => told.at(-1)?.sessionId).toBe('session-new-0009');
  const before = told.length;
  await ended(one.process);
  await expect.poll(() => told.length).toBe(before + 1);
  expect(told.at(-1)).toBeUndefined();
});

test('a registration that is gone while its process lives ends nothing', async () => {
  const one = await host();
  register(one);
  const session = sessions.discover()[0]!;
  const told: unknown[] = [];
  sessions.watch(session, (now) => void told.push(now));
  rmSync(join(folderOf(), `${one.pid}.json`));
  expect(sessions.heldBy('claude', session.process)).toBeUndefined();
  register(one, { status: 'busy' });
  await expect.poll(() => told).toEqual([expect.objectContaining({ activity: Activity.BUSY })]);
});

test('BRG-9a another process under the number of a lease holds nothing', async () => {
  const one = await host();
  register(one);
  const key = processKey(one.pid)!;
  expect(sessions.heldBy('claude', key)?.sessionId).toBe('session-one-0001');
  expect(sessions.heldBy('claude', { ...key, startTime: '1' })).toBeUndefined();
  expect(sessions.heldBy('claude', { ...key, bootId: 'another boot' })).toBeUndefined();
});
