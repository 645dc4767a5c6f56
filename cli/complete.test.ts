import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newCli } from '../test/world/cli-run.ts';

const cli = newCli('/nowhere');
const proposed = async (...words: string[]) =>
  (await cli(['__complete', ...words])).out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split('\t')[0]);

test('commands, verbs and options complete', async () => {
  expect(await proposed('mess')).toEqual(['messages']);
  expect(await proposed('messages', 're')).toEqual(['register', 'read', 'receipts']);
  expect(await proposed('messages', 'send', '--in')).toEqual(['--inbox', '--input', '--in-reply-to']);
  expect(await proposed('agents', 'reset-w')).toEqual(['reset-wakes']);
});

test('what is hidden is not proposed', async () => {
  expect(await proposed('messages', 'send', '--att')).toEqual([]);
});

test('what makes no sense proposes nothing and fails nothing', async () => {
  expect(await cli(['__complete', 'nonsense', 'x'])).toEqual({ code: 0, out: '', err: '' });
  expect((await cli(['__complete'])).code).toBe(0);
});

const has = (shell: string) => spawnSync(shell, ['-c', 'true']).status === 0;

describe('in a real shell', () => {
  let folder: string;
  let env: NodeJS.ProcessEnv;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'agentworks-complete-'));
    const program = join(folder, 'agentworks');
    writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${resolve('cli/entry.ts')}" "$@"\n`);
    chmodSync(program, 0o755);
    env = { ...process.env, PATH: `${folder}:${process.env['PATH']}` };
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test.runIf(has('bash'))('bash completes the word before the cursor, with a colon before it too', () => {
    const script = `
      source <(agentworks completion bash)
      complete -p agentworks >/dev/null || exit 1
      ask() { COMP_LINE="$1" COMP_POINT=\${#1}; _agentworks; printf '%s|' "\${COMPREPLY[@]}"; echo; }
      ask "agentworks messages re"
      ask "agentworks messages send --tar"
      ask "agentworks doc"
      ask "agentworks messages send --target agent:bob --me"
    `;
    const { stdout, stderr } = spawnSync('bash', ['--norc', '-c', script], { env, encoding: 'utf8' });
    expect(stderr).toBe('');
    expect(stdout.split('\n')).toEqual([
      'register|read|receipts|',
      '--target|',
      'doctor|',
      '--message|--metadata|',
      '',
    ]);
  });

  test.runIf(has('zsh'))('zsh takes the script', () => {
    const script = 'autoload -U compinit; compinit -u; source <(agentworks completion zsh); print $_comps[agentworks]';
    expect(spawnSync('zsh', ['-f', '-c', script], { env, encoding: 'utf8' }).stdout.trim()).toBe('_agentworks');
  });

  test.runIf(has('fish'))('fish completes', () => {
    const script = 'agentworks completion fish | source; complete -C "agentworks messages rec"';
    const { stdout } = spawnSync('fish', ['--no-config', '-c', script], { env, encoding: 'utf8' });
    expect(stdout).toContain('receipts');
  });
});
