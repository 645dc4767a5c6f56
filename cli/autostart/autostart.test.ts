import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Where, whereIs } from '../../bridge/socket/where.ts';
import { disable, enable } from './autostart.ts';
import { serviceOf } from './service.ts';

let root: string;
let env: Record<string, string>;
let where: Where;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'agentworks-autostart-'));
  env = {
    HOME: join(root, '100% "ann" & b'),
    XDG_RUNTIME_DIR: root,
    PATH: `${root}:/usr/bin:/bin`,
    SAID: join(root, 'said'),
  };
  mkdirSync(env['HOME']!);
  where = whereIs(env);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function managerDoes(script: string): void {
  writeFileSync(join(root, 'systemctl'), `#!/bin/sh\n${script}\n`);
  chmodSync(join(root, 'systemctl'), 0o755);
}

const hasSystemd = process.platform === 'linux' && existsSync('/usr/bin/systemd-analyze');

test.runIf(hasSystemd)('systemd has nothing to say about the unit, whatever the names of folders hold', () => {
  const { file, text } = serviceOf(where, env, 'linux')!;
  const unit = join(root, file.split('/').at(-1)!);
  writeFileSync(unit, text);
  const verify = 'systemd-analyze verify --user --man=no "$1" 2>&1 || true';
  const run = { HOME: root, XDG_RUNTIME_DIR: root, PATH: '/usr/bin:/bin' };
  const said = execFileSync('/bin/sh', ['-c', verify, 'sh', unit], { encoding: 'utf8', env: run });
  expect(said.split('\n').filter((line) => line.includes('agentworks'))).toEqual([]);
  expect(text).toContain(String.raw`100%% \"ann\" & b`);
});

test('launchd is given the same, as XML', () => {
  const { file, text } = serviceOf(where, env, 'darwin')!;
  expect(file).toMatch(/Library\/LaunchAgents\/agentworks\.bridge\.[0-9a-f]{16}\.plist$/);
  expect(text).toContain('100% "ann" &amp; b');
  expect(text).toContain('<key>SuccessfulExit</key><false/>');
  expect(text.match(/<string>/g)).toHaveLength(text.match(/<\/string>/g)!.length);
});

test('the file holds no secret of the environment', () => {
  const { text } = serviceOf(where, { ...env, ANTHROPIC_API_KEY: 'sk-secret', XDG_STATE_HOME: '/state' }, 'linux')!;
  expect(text).not.toContain('sk-secret');
  expect(text).toContain('XDG_STATE_HOME=/state');
});

test('a computer without a manager that we know says what to do instead', () => {
  expect(serviceOf(where, env, 'win32')).toBeUndefined();
});

describe.runIf(process.platform === 'linux')('the manager', () => {
  test('is asked to keep it, and to let it go without a trace', async () => {
    managerDoes('echo "$*" >>"$SAID"');
    const file = await enable(where, env);
    expect(lstatSync(file).mode & 0o777).toBe(0o600);
    expect(await disable(where, env)).toBe(true);
    expect(existsSync(file)).toBe(false);
    expect(await disable(where, env)).toBe(false);
    const unit = file.split('/').at(-1);
    expect(readFileSync(env['SAID']!, 'utf8').trimEnd().split('\n')).toEqual([
      '--user daemon-reload',
      `--user enable --now ${unit}`,
      `--user disable --now ${unit}`,
      '--user daemon-reload',
    ]);
  });

  test('that is not there, or refuses, leaves nothing behind, and says how else', async () => {
    managerDoes('echo "Failed to connect to bus: No medium found" >&2; exit 1');
    const { file } = serviceOf(where, env)!;
    await expect(enable(where, env)).rejects.toThrow(/No medium found.*agentworks bridge start/);
    expect(existsSync(file)).toBe(false);
    await expect(enable(where, { ...env, PATH: '' })).rejects.toThrow(/systemctl is not on PATH/);
  });

  test('a link in the place of the file is not written through', async () => {
    managerDoes('exit 0');
    const { file } = serviceOf(where, env)!;
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(join(root, 'victim'), 'kept');
    symlinkSync(join(root, 'victim'), file);
    await expect(enable(where, env)).rejects.toThrow(/symbolic link/);
    expect(readFileSync(join(root, 'victim'), 'utf8')).toBe('kept');
  });
});
