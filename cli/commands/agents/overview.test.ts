import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { AgentService, Presence } from '#gen/agentworks/agents/v1/agents_pb.ts';
import { newCli } from '../../../test/world/cli-run.ts';
import { stubBridge } from '../../../test/world/stub-bridge.ts';
import { StubServer } from '../../../test/world/stub-server.ts';

let server: StubServer;
let cli: ReturnType<typeof newCli>;
let env: Record<string, string>;

const agents = [
  { name: 'alice', presence: Presence.MAILBOX_ONLY, purpose: 'a program' },
  { name: 'bob', presence: Presence.LIVE, provider: 'claude', route: 'claude-socket', purpose: 'reviews' },
];

/** Two pages, so that one alone would be noticed. */
const list = ({ after }: { after: string }) =>
  after === '' ? { agents: agents.slice(0, 1), nextCursor: 'c1' } : { agents: agents.slice(1) };

beforeEach(async () => {
  server = new StubServer((router) => void router.service(AgentService, { list }));
  chmodSync(server.folder, 0o700);
  cli = newCli(server.folder, { server: await server.listen(), secret: 'aw1_secret' });
  env = {
    HOME: server.folder,
    XDG_RUNTIME_DIR: server.folder,
    AGENTWORKS_CONFIG: join(server.folder, 'config', 'config.json'),
    AGENTWORKS_KEYRING: 'off',
    NO_COLOR: '1',
    LANG: 'C.UTF-8',
  };
  mkdirSync(join(server.folder, 'config'), { recursive: true, mode: 0o700 });
});
afterEach(() => server[Symbol.asyncDispose]());

const withBridge = () =>
  stubBridge(env, {
    getStatus: () => ({ status: { sessions: [{ agentName: 'bob', folder: '/home/alice/shop', waiting: 3 }] } }),
  });

test('ATT-11 the directory and what is attached here are one table, plain in a pipe', async () => {
  await using stack = new AsyncDisposableStack();
  stack.use(await withBridge());
  const { out } = await cli(['agents'], { env });
  expect(out.split('\n').map((line) => line.split('\t'))).toMatchObject([
    ['alice', 'mailbox-only', '', '', '', '', '', 'a program'],
    ['bob', 'live', 'claude', 'claude-socket', '3', '', '/home/alice/shop', 'reviews'],
    [''],
  ]);
});

test('ATT-11 as JSON both are whole', async () => {
  await using stack = new AsyncDisposableStack();
  stack.use(await withBridge());
  const printed = JSON.parse((await cli(['agent', '--json'], { env })).out) as Record<string, unknown>;
  expect(printed).toMatchObject({
    agents: [{ name: 'alice' }, { name: 'bob' }],
    sessions: [{ folder: '/home/alice/shop' }],
  });
});

test('without a bridge the directory is shown all the same, and none is started', async () => {
  expect((await cli(['agents'], { env })).out).toContain('bob\tlive\tclaude');
});
