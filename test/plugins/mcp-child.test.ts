import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { processKey } from '../../bridge/sessions/process-key.ts';

/** Within which a child ends after its host. */
const END_MS = 2_000;

let folder: string;
const started: ChildProcessWithoutNullStreams[] = [];

beforeEach(() => {
  folder = mkdtempSync('/tmp/aw-');
});

afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
  rmSync(folder, { recursive: true });
});

const program = [resolve('bin/agentworks.cjs'), 'mcp', 'serve', '--bridge', '--provider', 'claude'];

/** The child as a host starts it, or a host of it. */
function start(command: string, args: readonly string[]): ChildProcessWithoutNullStreams {
  const env = { HOME: folder, PATH: '/usr/bin:/bin', XDG_RUNTIME_DIR: folder };
  const child = spawn(command, args, { env, stdio: 'pipe' });
  started.push(child);
  return child;
}

/** Speaks MCP by hand: one line a message. */
function speakTo(child: ChildProcessWithoutNullStreams) {
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let id = 0;
  return async (method: string, params: object = {}): Promise<Answer> => {
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: ++id, method, params })}\n`);
    for (;;) {
      const { value, done } = await lines.next();
      if (done === true) throw new Error('the child ended');
      const answer = JSON.parse(value) as Answer & { id: number };
      if (answer.id === id) return answer;
    }
  };
}

interface Answer {
  readonly error?: { readonly code: number };
  readonly result?: {
    readonly tools?: readonly { readonly name: string; readonly annotations: Readonly<Record<string, unknown>> }[];
    readonly content?: readonly { readonly text: string }[];
    readonly structuredContent?: Readonly<Record<string, unknown>>;
    readonly isError?: boolean;
  };
}

const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'a host', version: '1' } };

async function opened() {
  const child = start(process.execPath, program);
  const ask = speakTo(child);
  await ask('initialize', hello);
  return { child, ask };
}

test('PLG-3a it has the messaging tools, and none that attaches', async () => {
  const { ask } = await opened();
  const tools = (await ask('tools/list')).result?.tools?.map(({ name }) => name).toSorted();
  const names = ['ack', 'peers', 'read', 'reply', 'send', 'set_purpose'];
  expect(tools).toEqual(names.map((name) => `agent_message_${name}`));
});

test('PLG-5a every tool says whether it reads, destroys, repeats and reaches outside', async () => {
  const { ask } = await opened();
  const hints = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'];
  const tools = (await ask('tools/list')).result?.tools ?? [];
  expect(tools).toHaveLength(6);
  for (const { annotations } of tools)
    expect(hints.map((hint) => typeof annotations[hint])).toEqual(hints.map(() => 'boolean'));
  const { annotations } = tools.find(({ name }) => name === 'agent_message_ack')!;
  expect(annotations).toMatchObject({ destructiveHint: false, idempotentHint: true, openWorldHint: false });
});

test('the newer MCP era is declined, so that a chat can have a channel', async () => {
  const child = start(process.execPath, program);
  expect((await speakTo(child)('server/discover')).error?.code).toBe(-32601);
});

test('without a bridge its tools say how to get one', async () => {
  const { ask } = await opened();
  const { result } = await ask('tools/call', { name: 'agent_message_peers', arguments: {} });
  expect(result).toMatchObject({ isError: true, structuredContent: { reason: 'UNAVAILABLE' } });
  expect(result?.content?.[0]?.text).toContain('agentworks bridge start');
});

test.each([
  ['agent_message_send', { target: 'agent:bob', body: 'x', agent_name: 'alice' }, 'agent_name'],
  ['agent_message_read', { agent_name: 'alice' }, 'agent_name'],
  ['agent_message_ack', { message_ids: ['m'], attachment_id: 'a' }, 'attachment_id'],
  ['agent_message_attach', {}, 'agent_message_attach'],
])('PLG-3a %s does not let a model choose who speaks', async (name, args, subject) => {
  const { ask } = await opened();
  const { result } = await ask('tools/call', { name, arguments: args });
  expect(result).toMatchObject({ isError: true, structuredContent: { subject } });
});

test.each([
  ['its input ends', (child: ChildProcessWithoutNullStreams) => child.stdin.end()],
  ['it is told to', (child: ChildProcessWithoutNullStreams) => child.kill('SIGTERM')],
  ['it is interrupted', (child: ChildProcessWithoutNullStreams) => child.kill('SIGINT')],
])('it ends when %s', async (_when, end) => {
  const { child } = await opened();
  const ended = once(child, 'exit');
  const since = performance.now();
  end(child);
  await ended;
  expect(performance.now() - since).toBeLessThan(END_MS);
});

test('it ends with its host, also when somebody else holds the pipe', async () => {
  const pipe = join(folder, 'pipe');
  const line = program.map((word) => `'${word}'`).join(' ');
  // The outer shell keeps the pipe open; the host is the inner one.
  const host = start('/bin/sh', [
    '-c',
    `mkfifo ${pipe}; exec 9<>${pipe}; /bin/sh -c "'${process.execPath}' ${line} <&9 & echo \\$!; sleep 60" & echo $!; wait; sleep 60`,
  ]);
  const lines = createInterface({ input: host.stdout })[Symbol.asyncIterator]();
  const pids = [Number((await lines.next()).value), Number((await lines.next()).value)];
  const [inner, child] = [Math.min(...pids), Math.max(...pids)];
  const said = `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: hello })}\n`;
  writeFileSync(pipe, said);
  await lines.next();
  process.kill(inner, 'SIGKILL');
  const since = performance.now();
  while (processKey(child) !== undefined && performance.now() - since < 3 * END_MS)
    await new Promise((done) => setTimeout(done, 20));
  expect(performance.now() - since).toBeLessThan(END_MS);
});
