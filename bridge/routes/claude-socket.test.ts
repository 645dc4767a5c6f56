import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Activity } from '#gen/agentworks/bridge/v1/local_pb.ts';
import type { HostSession } from '../sessions/session.ts';
import { claudeSocket } from './claude-socket.ts';

let folder: string;
let server: Server | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'agentworks-socket-'));
});

afterEach(async () => {
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
  expect(await claudeSocket.offer(there, 'one\ntwo')).toBe('accepted');
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
  expect(await claudeSocket.offer(there, 'x'.repeat(96 * 1024))).toBe('accepted');
  expect(bytes).toBeGreaterThan(96 * 1024);
});

test('a socket that nobody listens on is a definite failure', async () => {
  const outcome = await claudeSocket.offer(session(join(folder, 'none')), 'text');
  expect(outcome).toEqual({ failed: 'the messaging socket fails (ENOENT)' });
});

test('BRG-7b a host that breaks off before it has read everything leaves it open whether it took the text', async () => {
  const there = await host((socket) => socket.once('data', () => socket.destroy()));
  expect(await claudeSocket.offer(there, 'x'.repeat(4 * 1024 * 1024))).toBe('ambiguous');
});

test('a session without the socket says why', () => {
  expect(claudeSocket.reach(session())).toEqual({ ok: false, why: 'messaging is off' });
  expect(claudeSocket.reach(session('/run/x'))).toEqual({ ok: true, wakes: true });
});
