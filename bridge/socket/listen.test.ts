import { execFile, execFileSync } from 'node:child_process';
import { chmodSync, lstatSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Code, ConnectError } from '@connectrpc/connect';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { LocalService } from '#gen/agentworks/bridge/v1/local_pb.ts';
import { Refusal } from '../client/refusal.ts';
import { openBridge } from './ask.ts';
import { findBridge } from './find.ts';
import { type HookQuestion, listen, type Listening } from './listen.ts';
import { takeLock } from './lock.ts';
import { readRecord, removeRecord, writeRecord } from './record.ts';
import { prepare, type Where, whereIs } from './where.ts';

let root: string;
let where: Where;
let listening: Listening;
const asked: HookQuestion[] = [];
const faults: unknown[] = [];
const alive = { version: '0.1.0', pid: process.pid, nonce: 'nonce-1' };

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'agentworks-socket-'));
  chmodSync(root, 0o700);
  where = whereIs({ HOME: root, XDG_RUNTIME_DIR: root });
  prepare(where);
  asked.length = 0;
  faults.length = 0;
  listening = await listen(where.socket, {
    alive,
    routes: (router) =>
      router.service(LocalService, {
        getStatus: () => ({ status: { version: '0.1.0' } }),
        attach: () => {
          throw new Refusal('NAME_HELD', 'bob is held by another chat.', { subject: 'bob', suggestions: ['bob-2'] });
        },
        detach: () => {
          throw new Error('secret of ours');
        },
        async *watch() {
          yield { status: { version: 'one' } };
          yield { status: { version: 'two' } };
        },
      }),
    askHook: (question) => {
      asked.push(question);
      return Promise.resolve(question.event === 'Stop' ? 'line one\nü' : '');
    },
    onFault: (error) => faults.push(error),
  });
  writeRecord(where.record, { ...alive, socket: where.socket });
});

afterEach(async () => {
  await listening.close();
  rmSync(root, { recursive: true, force: true });
});

/** The server answers from this very process, so nothing may block it. */
function curl(path: string, args: readonly string[] = [], stdin = ''): Promise<string> {
  return new Promise((done, failed) => {
    const all = ['-s', '--unix-socket', where.socket, ...args, `http://localhost${path}`];
    const child = execFile('curl', all, (error, out) => (error === null ? done(out) : failed(error)));
    child.stdin?.end(stdin);
  });
}

test('BRG-1c the socket is for this user alone, and the umask is as before', () => {
  const before = process.umask();
  expect(lstatSync(where.socket).mode & 0o777).toBe(0o600);
  expect(before).not.toBe(0o177);
});

test.runIf(process.getuid?.() === 0)('BRG-1c another user does not get to it', () => {
  const connect = "require('node:net').connect(process.argv[1]).on('error', (e) => console.log(e.code))";
  const args = ['--reuid=65534', '--regid=65534', '--clear-groups', process.execPath, '-e', connect, where.socket];
  expect(execFileSync('setpriv', args, { encoding: 'utf8', cwd: '/' }).trim()).toBe('EACCES');
});

test('a hook asks by curl and prints exactly what it is answered', async () => {
  const args = ['-f', '-H', 'x-host-pid: 4711', '-H', 'x-session-id: s-1', '--data-binary', '@-'];
  const printed = await curl('/hooks/claude/Stop', args, '{"a":"\\u0000ü\n"}');
  expect(printed).toBe('line one\nü');
  expect(asked).toEqual([
    { provider: 'claude', event: 'Stop', hostPid: 4711, sessionId: 's-1', body: '{"a":"\\u0000ü\n"}' },
  ]);
});

test('whoever asks over the socket gets answers, streams, and refusals with their reason', async () => {
  const bridge = await openBridge(where);
  expect((await bridge.local.getStatus({})).status?.version).toBe('0.1.0');
  const seen: (string | undefined)[] = [];
  for await (const { status } of bridge.local.watch({})) seen.push(status?.version);
  expect(seen).toEqual(['one', 'two']);
  await expect(bridge.local.attach({})).rejects.toMatchObject({
    reason: 'NAME_HELD',
    subject: 'bob',
    sentence: 'bob is held by another chat.',
    suggestions: ['bob-2'],
  });
  bridge.close();
});

test('a fault of ours is told without its text, and logged', async () => {
  const bridge = await openBridge(where);
  await expect(bridge.local.detach({})).rejects.toMatchObject({
    reason: 'INTERNAL',
    sentence: expect.not.stringContaining('secret of ours'),
  });
  expect(faults).toEqual([expect.objectContaining({ message: 'secret of ours' })]);
  await expect(bridge.local.send({})).rejects.toSatisfy(
    (error) => error instanceof ConnectError && error.code === Code.Unimplemented,
  );
  bridge.close();
});

test('a bridge is alive when it answers with the nonce that was written down', async () => {
  expect(await findBridge(where)).toMatchObject({ pid: process.pid, version: '0.1.0' });
  writeRecord(where.record, { ...alive, nonce: 'another', socket: where.socket });
  expect(await findBridge(where)).toBeUndefined();
});

test('a record whose process lives and whose socket answers nobody is no bridge', async () => {
  await listening.close();
  expect(await findBridge(where)).toBeUndefined();
  await expect(openBridge(where)).rejects.toThrow(/agentworks bridge start/);
});

test('a socket that others can reach, and a record that others could have written, are refused', async () => {
  chmodSync(where.socket, 0o666);
  await expect(findBridge(where)).rejects.toThrow(/open to others/);
  chmodSync(where.record, 0o644);
  await expect(findBridge(where)).rejects.toThrow(/can be read by others/);
});

test('a link in the place of the socket is refused', async () => {
  const other = join(where.folder, 'other');
  symlinkSync(where.socket, other);
  writeRecord(where.record, { ...alive, socket: other });
  await expect(findBridge(where)).rejects.toThrow(/not a socket/);
});

test('a bridge removes no record but its own', () => {
  removeRecord(where.record, 'another');
  expect(readRecord(where.record)).toBeDefined();
  removeRecord(where.record, alive.nonce);
  expect(readRecord(where.record)).toBeUndefined();
});

test('one at a time holds the lock, and a link in its place is refused', () => {
  const first = takeLock(where.folder);
  expect(first).toBeDefined();
  expect(takeLock(where.folder)).toBeUndefined();
  first!.release();
  const second = takeLock(where.folder);
  expect(second).toBeDefined();
  second!.release();
  rmSync(join(where.folder, 'lock'));
  writeFileSync(join(root, 'victim'), '');
  symlinkSync(join(root, 'victim'), join(where.folder, 'lock'));
  expect(() => takeLock(where.folder)).toThrow(/symbolic link/);
});

test('what is no hook and no RPC is answered with 404', async () => {
  expect(await curl('/nothing', ['-o', '/dev/null', '-w', '%{http_code}'])).toBe('404');
  expect(asked).toEqual([]);
});
