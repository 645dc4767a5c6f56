import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Activity } from '#gen/agentworks/bridge/v1/local_pb.ts';
import type { HostSession } from '../sessions/session.ts';
import { ClaudeReceipts } from './claude-receipts.ts';
import { claudeSocket } from './claude-socket.ts';
import type { Status } from './route.ts';

let folder: string;
let server: Server | undefined;
const receipts = new ClaudeReceipts();
const route = claudeSocket(receipts);
const offer = (to: HostSession, text: string) => route.offer(to, text, () => {});

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'agentworks-socket-'));
});

afterEach(async () => {
  await receipts.close();
  await new Promise((done) => (server === undefined ? done(undefined) : server.close(done)));
  server = undefined;
  rmSync(folder, { recursive: true });
});

/** A session's socket as the host keeps one: lines of JSON, and silence whatever becomes of them. */
async function host(onConnection: (socket: Socket) => void): Promise<HostSession> {
  const socket = join(folder, 's');
  server = createServer(onConnection);
  await new Promise<void>((done) => server!.listen(socket, done));
  return session(socket);
}

const session = (socket?: string): HostSession => ({
  provider: 'claude',
  sessionId: 'session-1',
  process: { pid: 1, startTime: '1', bootId: 'boot' },
  folder: '/',
  title: '',
  activity: Activity.IDLE,
  startTime: undefined,
  version: '',
  ...(socket === undefined ? { noSocket: 'messaging is off' } : { socket }),
});

test('a text arrives as one frame for the exact session', async () => {
  let heard = '';
  const there = await host((socket) => socket.setEncoding('utf8').on('data', (text: string) => (heard += text)));
  expect(await offer(there, 'one\ntwo')).toBe('accepted');
  expect(heard.split('\n')).toHaveLength(2);
  expect(JSON.parse(heard)).toMatchObject({
    type: 'user',
    session_id: 'session-1',
    priority: 'next',
    message: { role: 'user', content: 'one\ntwo' },
  });
  expect(heard).not.toContain('from-mode');
});

test('96 KiB arrive whole', async () => {
  let bytes = 0;
  const there = await host((socket) => socket.on('data', (chunk: Buffer) => (bytes += chunk.length)));
  expect(await offer(there, 'x'.repeat(96 * 1024))).toBe('accepted');
  expect(bytes).toBeGreaterThan(96 * 1024);
});

test('a socket that nobody listens on is a definite failure', async () => {
  const outcome = await offer(session(join(folder, 'none')), 'text');
  expect(outcome).toEqual({ failed: 'the messaging socket fails (ENOENT)' });
});

test('BRG-7b a host that breaks off before it has read everything leaves it open whether it took the text', async () => {
  const there = await host((socket) => socket.once('data', () => socket.destroy()));
  expect(await offer(there, 'x'.repeat(4 * 1024 * 1024))).toBe('ambiguous');
});

test('a session without the socket says why', () => {
  expect(route.reach(session())).toEqual({ ok: false, why: 'messaging is off' });
  expect(route.reach(session('/run/x'))).toEqual({ ok: true, wakes: true });
});

test('what the host says of a text that it holds reaches whoever offered it, and nobody else', async () => {
  const lines: string[] = [];
  const there = await host((socket) => socket.setEncoding('utf8').on('data', (text: string) => lines.push(text)));
  const heard: Status[] = [];
  await route.offer(there, 'one', (status) => heard.push(status));
  await route.offer(there, 'two', () => heard.push('refused'));
  const { from, msg_id } = JSON.parse(lines[0]!) as { from: string; msg_id: string };
  const path = from.replace('uds:', '');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const say = (status: string, id = msg_id) =>
    new Promise((done) => {
      const said = { type: 'control', action: 'peer_message_status', status, orig_msg_id: id };
      const socket = connect(path, () => socket.end(`no json\n${JSON.stringify(said)}\n`));
      socket.on('close', done).resume();
    });
  await say('held');
  await say('held', 'another');
  await say('a newer word');
  await say('delivered');
  expect(heard).toEqual(['held', 'let in']);
});
