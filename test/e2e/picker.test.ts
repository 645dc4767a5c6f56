import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { stubBridge } from '../world/stub-bridge.ts';
import { until } from './server-process.ts';

const hasTmux = spawnSync('tmux', ['-V']).status === 0;
if (!hasTmux) console.log('skipped: the picker is not tried in a real terminal, because there is no tmux here');

let folder: string;
let attached: string[] = [];
let bridge: AsyncDisposable;
const name = `agentworks-picker-${process.pid}`;
const tmux = (...words: string[]) => execFileSync('tmux', ['-L', name, ...words], { encoding: 'utf8' });
const screen = () => tmux('capture-pane', '-p');
const shows = (text: string) => until(() => screen().includes(text), `the terminal shows ${text}`);

beforeAll(async () => {
  if (!hasTmux) return;
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'agentworks-picker-')));
  chmodSync(folder, 0o700);
  mkdirSync(join(folder, 'config'), { mode: 0o700 });
  const env = { HOME: folder, XDG_RUNTIME_DIR: folder, AGENTWORKS_CONFIG: join(folder, 'config', 'config.json') };
  const sessions = ['one', 'two', 'three'].map((key) => ({
    sessionKey: key,
    provider: 'claude',
    title: `chat ${key}`,
    folder: '/home/alice',
    hasPlugin: true,
  }));
  bridge = await stubBridge(env, {
    listSessions: () => ({ sessions }),
    attach({ sessionKey }) {
      attached.push(sessionKey);
      return { session: { agentName: `name-of-${sessionKey}`, provider: 'claude' } };
    },
  });
  const words = Object.entries(env).map(([key, value]) => `${key}=${value}`);
  const line = [
    'env',
    '-u',
    'CLAUDECODE',
    'CI=1',
    'HISTFILE=',
    'LANG=C.UTF-8',
    ...words,
    'PS1=ready\\ ',
    'bash',
    '--norc',
  ];
  tmux('new-session', '-d', '-x', '60', '-y', '20', ...line);
  await shows('ready');
});

afterAll(async () => {
  if (!hasTmux) return;
  tmux('kill-server');
  await bridge[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

beforeEach(async () => {
  if (!hasTmux) return;
  attached = [];
  tmux('send-keys', 'clear', 'Enter');
  await until(() => !screen().includes('Attach'), 'the terminal is clear');
  tmux('send-keys', `${process.execPath} cli/entry.ts attach; echo ended $?`, 'Enter');
  await shows('Attach chats  3 live');
});

const isOnOtherScreen = () => tmux('display-message', '-p', '#{alternate_on}').trim() === '1';

test.runIf(hasTmux)('ATT-5b in a real terminal, all of them are attached by typing their count', async () => {
  expect(isOnOtherScreen()).toBe(true);
  tmux('send-keys', 'C-a');
  await shows('Type "all 3"');
  // In one burst, as a paste or a slow line brings it.
  tmux('send-keys', 'all 3', 'Enter');
  await shows('ended 0');
  expect(attached).toEqual(['one', 'two', 'three']);
  expect(isOnOtherScreen()).toBe(false);
});

test.runIf(hasTmux).each(['Escape', 'C-c'])('%s leaves, attaches nothing, and gives the terminal back', async (key) => {
  tmux('send-keys', key);
  await shows('ended 130');
  expect(attached).toEqual([]);
  expect(isOnOtherScreen()).toBe(false);
  expect(tmux('display-message', '-p', '#{cursor_flag}').trim()).toBe('1');
});

test.runIf(hasTmux)('a picker that is told to end gives the terminal back', async () => {
  const shell = tmux('display-message', '-p', '#{pane_pid}').trim();
  const [child = ''] = execFileSync('ps', ['-o', 'pid=', '--ppid', shell], { encoding: 'utf8' }).trim().split('\n');
  process.kill(Number(child), 'SIGTERM');
  await until(() => /ended (130|143)/.test(screen()), 'it ended');
  expect(isOnOtherScreen()).toBe(false);
});
