import { once } from 'node:events';
import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { create } from '@bufbuild/protobuf';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  AgentService,
  Presence,
  type WatchDirectoryResponse,
  WatchDirectoryResponseSchema,
} from '#gen/agentworks/agents/v1/agents_pb.ts';
import { connect } from '../../../bridge/client/index.ts';
import { whereIs } from '../../../bridge/socket/where.ts';
import { newCli } from '../../../test/world/cli-run.ts';
import { stubBridge } from '../../../test/world/stub-bridge.ts';
import { StubServer } from '../../../test/world/stub-server.ts';
import { Live } from './live.ts';

let server: StubServer;
let cli: ReturnType<typeof newCli>;
let env: Record<string, string>;

const agents = [
  { name: 'alice', presence: Presence.MAILBOX_ONLY, purpose: 'a program' },
  { name: 'bob', presence: Presence.LIVE, provider: 'claude', route: 'claude-socket', purpose: 'reviews' },
];

/** Two pages, so that one alone would be noticed. */
let changes: WatchDirectoryResponse[][] = [];

/** Each stream says what is next and stays open until it is cut. */
async function* watchDirectory(_request: object, { signal }: { signal: AbortSignal }) {
  yield* changes.shift() ?? [];
  await once(signal, 'abort');
}

const list = ({ after }: { after: string }) =>
  after === '' ? { agents: agents.slice(0, 1), nextCursor: 'c1' } : { agents: agents.slice(1) };

beforeEach(async () => {
  server = new StubServer((router) => void router.service(AgentService, { list, watchDirectory }));
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

const change = (names: readonly string[], removedAgentIds: string[] = []) =>
  create(WatchDirectoryResponseSchema, { agents: names.map((name) => ({ name, agentId: name })), removedAgentIds });

const status = { sessions: [{ agentName: 'bob', folder: '/home/alice/shop', waiting: 3 }] };

const withBridge = () =>
  stubBridge(env, {
    getStatus: () => ({ status }),
    async *watch(_request, { signal }) {
      yield { status };
      await once(signal, 'abort');
    },
  });

test('ATT-11a the directory and what is attached here are one table, plain in a pipe', async () => {
  await using stack = new AsyncDisposableStack();
  stack.use(await withBridge());
  const { out } = await cli(['agents'], { env });
  expect(out.split('\n').map((line) => line.split('\t'))).toMatchObject([
    ['alice', 'mailbox-only', '', '', '', '', '', 'a program'],
    ['bob', 'live', 'claude', 'claude-socket', '3', '', '/home/alice/shop', 'reviews'],
    [''],
  ]);
});

test('ATT-11a as JSON both are whole', async () => {
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

test('ATT-11a followed, it shows each change, and forgets what was removed while it was away', async () => {
  await using stack = new AsyncDisposableStack();
  stack.use(await withBridge());
  changes = [[change(['bob', 'alice', 'carol']), change(['dave'], ['carol'])], [change(['erin', 'bob'])]];
  const client = connect({ address: `unix:${server.socket}`, secret: 'aw1_secret' });
  const live = new Live(1);
  const ending = new AbortController();
  const shows = (names: string) =>
    new Promise<void>((done) => {
      live.onChange(() => {
        const { agents: shown, sessions } = live.view();
        if (shown.map(({ name }) => name).join(' ') === names && sessions.length === 1) done();
      });
    });
  const [before, after] = [shows('alice bob dave'), shows('bob erin')];
  const following = live.follow(client, whereIs(env), ending.signal);
  await before;
  server.cut();
  await after;
  ending.abort();
  await following;
  client.close();
  expect(live.view().problem).toBe('');
});
