import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { newCli } from '../../test/world/cli-run.ts';
import { exitCodes } from '../exit-codes.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'agentworks-claude-'));
  writeFileSync(
    join(folder, 'claude'),
    `#!/bin/sh\nprintf '%s\\n' "$@" > ${folder}/ran\nenv >> ${folder}/ran\nexit 7\n`,
  );
  chmodSync(join(folder, 'claude'), 0o755);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const cli = (env: Record<string, string>, ...argv: string[]) => newCli(folder)(argv, { env });

test('ATT-2a.1 the launcher takes along the person’s settings and nothing that another chat told this shell', async () => {
  const settings = { PATH: `${folder}:/usr/bin:/bin`, CLAUDE_CONFIG_DIR: '/c', CLAUDE_CODE_USE_BEDROCK: '1' };
  const inherited = { CLAUDECODE: '1', CLAUDE_PID: '1', CLAUDE_CODE_SESSION_ID: 'x', CLAUDE_CODE_MESSAGING_TOKEN: 'y' };
  const { code } = await cli({ ...settings, ...inherited }, 'claude', '--resume', '--help');
  expect(code).toBe(7);
  const ran = readFileSync(join(folder, 'ran'), 'utf8').split('\n');
  expect(ran.slice(0, 2)).toEqual(['--resume', '--help']);
  for (const [name, value] of Object.entries(settings)) expect(ran).toContain(`${name}=${value}`);
  for (const name of Object.keys(inherited)) expect(ran.filter((line) => line.startsWith(`${name}=`))).toEqual([]);
});

test('without Claude Code it says so; --help is ours', async () => {
  expect((await cli({ PATH: '/nowhere' }, 'claude')).code).toBe(exitCodes.NOT_FOUND);
  expect((await cli({ PATH: folder }, 'claude', '--help')).out).toContain('Start Claude Code as a chat of its own');
});
