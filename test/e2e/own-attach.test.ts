import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { ReadResponse } from '#gen/agentworks/bridge/v1/local_pb.ts';
import { processKey } from '../../bridge/sessions/process-key.ts';
import { findBridge } from '../../bridge/socket/find.ts';
import { whereIs } from '../../bridge/socket/where.ts';
import { exitCodes } from '../../cli/exit-codes.ts';
import { alive } from '../../server/core/postgres/process.ts';
import { cleanUp, newFolder, type Served, start, until } from './server-process.ts';

/** This process stands for the host: what it runs, runs in its chat, and proves it by its ancestry. */
const sessionId = 'the-chat-of-this-process';
let home: string;
let env: Record<string, string>;
let server: Served;
let socket: Server;

const run = promisify(execFile);
const cli = async (...argv: string[]) =>
  (await run(process.execPath, ['cli/entry.ts', ...argv], { env, encoding: 'utf8' })).stdout;
const refusal = (...argv: string[]) =>
  cli(...argv).then(
    () => 0,
    ({ code }: { code: number }) => code,
  );
const ofChat = (...argv: string[]) => cli('bridge', 'message', ...argv, '--provider', 'claude');

beforeAll(async () => {
  server = await start();
  home = newFolder();
  chmodSync(home, 0o700);
  for (const folder of ['sockets', '.claude', '.claude/sessions']) mkdirSync(join(home, folder), { mode: 0o700 });
  const path = join(home, 'sockets', 'chat.sock');
  socket = createServer((connection) => void connection.resume());
  await new Promise<void>((done) => socket.listen(path, done));
  chmodSync(path, 0o600);
  const { pid } = process;
  const procStart = processKey(pid)!.startTime;
  const registration = { pid, sessionId, cwd: home, procStart, messagingSocketPath: path, status: 'busy' };
  writeFileSync(join(home, '.claude', 'sessions', `${pid}.json`), JSON.stringify(registration), { mode: 0o600 });
  env = {
    HOME: home,
    PATH: process.env['PATH'] ?? '',
    XDG_RUNTIME_DIR: home,
    AGENTWORKS_KEYRING: 'off',
    AGENTWORKS_DATA: server.data,
    CLAUDECODE: '1',
    CLAUDE_CODE_SESSION_ID: sessionId,
  };
  await cli('login');
  await cli('messages', 'register', '--agent', 'alice');
});

afterAll(async () => {
  const running = await findBridge(whereIs(env));
  if (running !== undefined) {
    process.kill(running.pid, 'SIGKILL');
    await until(() => !alive(running.pid), 'the bridge is gone');
  }
  socket.close();
  await cleanUp();
});

beforeEach(async () => {
  await refusal('detach');
});

test('ATT-4a an agent attaches the chat that it runs in, detaches it, and reaches no other', async () => {
  expect(await cli('attach', 'bob')).toMatch(/^bob\tClaude Code\tclaude-socket\t/);
  expect(await cli('agents')).toContain(`bob\tlive\tclaude\tclaude-socket\t`);
  expect(await refusal('attach', 'carol')).toBe(exitCodes.NOT_ALLOWED);
  expect(await refusal('attach', '--session', sessionId)).toBe(exitCodes.NOT_ALLOWED);
  expect(await refusal('detach', 'bob')).toBe(exitCodes.NOT_ALLOWED);
  expect(await cli('detach')).toBe('bob\n');
  expect(await cli('agents')).toContain('bob\tmailbox-only\t');
});

test('BRG-11a the chat’s own shell sends, reads, acknowledges and answers as the chat, and as nobody once it is detached', async () => {
  await cli('attach', 'bob');
  expect(await ofChat('peers')).toContain('alice\t');
  await ofChat('send', '--target', 'agent:alice', '--message', 'from bob');
  expect(await cli('messages', 'read', '--agent', 'alice')).toMatch(/\tbob\talice\t.*\tfrom bob\n$/);
  await cli('messages', 'send', '--agent', 'alice', '--target', 'agent:bob', '--message', 'a question');
  const { page } = JSON.parse(await ofChat('read', '--json')) as Pick<ReadResponse, 'page'>;
  const { messageId, replyAddress } = page!.messages.at(-1)!;
  expect(await ofChat('ack', messageId)).toBe(`${messageId}\tadmitted\n`);
  await ofChat('reply', '--inbox', replyAddress, '--in-reply-to', messageId, '--message', 'an answer');
  expect(await cli('messages', 'read', '--agent', 'alice')).toContain('\tan answer\n');
  expect(await ofChat('purpose', 'Answers questions.')).toContain('Answers questions.');
  await cli('detach');
  expect(await refusal('bridge', 'message', 'peers', '--provider', 'claude')).toBe(exitCodes.LEASE_ENDED);
});
