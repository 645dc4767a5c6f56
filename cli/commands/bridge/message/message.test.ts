import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Acknowledgement } from '#gen/agentworks/agents/v1/attachments_pb.ts';
import { newCli } from '../../../../test/world/cli-run.ts';
import { stubBridge } from '../../../../test/world/stub-bridge.ts';
import { exitCodes, USAGE } from '../../../exit-codes.ts';

let folder: string;
let env: Record<string, string>;
let asked: object[];
let bridge: AsyncDisposable;
let isAway = false;

const message = { messageId: 'msg_1', fromAgent: 'alice', toAgent: 'bob', replyAddress: 'inb_2', body: 'hello' };

beforeEach(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'agentworks-message-')));
  chmodSync(folder, 0o700);
  mkdirSync(join(folder, 'config'), { mode: 0o700 });
  env = {
    HOME: folder,
    XDG_RUNTIME_DIR: folder,
    AGENTWORKS_CONFIG: join(folder, 'config', 'config.json'),
    CLAUDE_CODE_SESSION_ID: 'id-of-the-chat',
    LANG: 'C.UTF-8',
  };
  asked = [];
  isAway = false;
  const keep =
    <T>(answer: () => T) =>
    (request: object) => {
      asked.push(request);
      return answer();
    };
  bridge = await stubBridge(env, {
    send: keep(() =>
      isAway
        ? { queued: true, submissionId: 's1' }
        : { sent: { messageId: 'msg_1', recipients: [{ agentName: 'bob', messageId: 'msg_1', inboxId: 'inb_1' }] } },
    ),
    read: keep(() => ({ page: { messages: [message], nextCursor: 'c1' } })),
    listPeers: keep(() => ({ agents: [{ name: 'alice' }] })),
    acknowledge: keep(() => ({ acknowledged: { acknowledgedIds: ['msg_1'], unknownIds: ['msg_2'] } })),
    setPurpose: keep(() => ({ agent: { name: 'bob', purpose: 'reviews' } })),
  });
});

afterEach(async () => {
  await bridge[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

const ask = (...words: string[]) => newCli(folder)(['bridge', 'message', ...words, '--provider', 'claude'], { env });

/** No sign-in is there to be used: whatever succeeds was asked of the bridge, as this process's own chat. */
const asker = { provider: 'claude', pid: BigInt(process.pid), sessionId: 'id-of-the-chat' };

test.each([
  [['send', '--target', 'agent:bob', '--message', 'hi'], { request: { target: 'agent:bob', body: 'hi', inboxId: '' } }],
  [
    ['reply', '--inbox', 'inb_2', '--in-reply-to', 'msg_1', '--no-wake', '--', 'hi'],
    { request: { target: '', inboxId: 'inb_2', inReplyTo: 'msg_1', body: 'hi', noWake: true } },
  ],
  [['read', '--from-agent', 'alice', '--wait', '5'], { request: { fromAgent: 'alice', waitSeconds: 5, inboxId: '' } }],
  [['peers'], {}],
  [['ack', 'msg_1'], { messageIds: ['msg_1'], acknowledgement: Acknowledgement.ADMITTED }],
  [
    ['ack', '--processed', '--message', 'msg_1', '--message', 'msg_2'],
    { messageIds: ['msg_1', 'msg_2'], acknowledgement: Acknowledgement.PROCESSED },
  ],
  [['purpose', 'reviews'], { purpose: 'reviews' }],
])('BRG-11a bridge message %j asks as the chat it runs in, without a sign-in', async (words, request) => {
  const at = words.indexOf('--');
  const line = at < 0 ? words : [...words.slice(0, at), '--provider', 'claude', ...words.slice(at)];
  const { code, err } = at < 0 ? await ask(...line) : await newCli(folder)(['bridge', 'message', ...line], { env });
  expect({ code, err: err.startsWith('agentworks:') }).toEqual({ code: 0, err: false });
  expect(asked).toMatchObject([{ asker, ...request }]);
});

test('each answer is printed: what was sent, read and acknowledged', async () => {
  expect((await ask('send', '--target', 'agent:bob', '--message', 'hi')).out).toContain('msg_1\tinb_1\tbob');
  expect((await ask('read')).out).toContain('hello');
  expect((await ask('ack', 'msg_1')).out).toBe("msg_1\tadmitted\nmsg_2\tnot in this chat's mailbox\n");
  expect(JSON.parse((await ask('peers', '--json')).out)).toMatchObject({ agents: [{ name: 'alice' }] });
});

test('what is kept while the server is away is said to be kept, not sent', async () => {
  isAway = true;
  const { out, err } = await ask('send', '--target', 'agent:bob', '--message', 'hi');
  expect(out).toBe('');
  expect(err).toContain('Kept: the server is away');
});

test('without a bridge it says how to start one, and starts none', async () => {
  await bridge[Symbol.asyncDispose]();
  const { code, err } = await ask('peers');
  expect(code).toBe(exitCodes.UNAVAILABLE);
  expect(err).toContain('agentworks bridge start');
});

test('BRG-11a it can attach nothing, and knows no other act', async () => {
  for (const word of ['attach', 'detach', 'register']) expect((await ask(word)).code).toBe(USAGE);
  expect(asked).toEqual([]);
});
