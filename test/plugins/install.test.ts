import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { newCli, type Printed } from '../world/cli-run.ts';
import { claudeStub } from './claude-stub.ts';

let folder: string;
let project: string;
let claude: ReturnType<typeof claudeStub>;
let plugins: (...words: readonly string[]) => Promise<Printed>;

beforeEach(() => {
  folder = mkdtempSync('/tmp/aw-');
  project = join(folder, 'project');
  mkdirSync(project);
  claude = claudeStub(folder);
  plugins = (verb = '', ...words) =>
    run(['plugins', verb, 'claude', '--program', claude.path, '--config', join(folder, 'config.json'), ...words]);
});

afterEach(() => rmSync(folder, { recursive: true }));

/** In a home of its own: the settings of whoever runs this are not touched. */
const run = (words: readonly string[]): Promise<Printed> => newCli(folder)(words, { env: { HOME: folder, PATH: '' } });

const written = (): string => join(folder, 'plugins', 'claude');

test('PLG-4a it shows what will change, and changes nothing without a yes', async () => {
  const { code, err } = await plugins('install', '--project', project);
  expect(code).toBe(2);
  expect(err).toContain(`write the plugin to ${written()}`);
  expect(err).toContain(`enable agentworks@agentworks in ${project}/.claude/settings.json`);
  expect(existsSync(written())).toBe(false);
  expect(claude.state).toEqual({ plugins: [], marketplaces: [] });
});

test('PLG-4a it installs for one project, with absolute paths that only this user can change', async () => {
  expect((await plugins('install', '--project', project, '--yes')).code).toBe(0);
  expect(claude.state.plugins).toEqual([
    { id: 'agentworks@agentworks', scope: 'project', enabled: true, projectPath: project },
  ]);
  expect(readFileSync(join(written(), 'hooks', 'installed.sh'), 'utf8')).toContain(`node='${process.execPath}'`);
  expect(statSync(join(written(), 'bin', 'agentworks')).mode & 0o777).toBe(0o700);
  expect(statSync(written()).mode & 0o077).toBe(0);
  expect((await plugins('status')).out).toBe(`${project}\tenabled\n`);
});

test('PLG-4a installing again replaces the files and keeps nothing of an older version', async () => {
  await plugins('install', '--project', project, '--yes');
  writeFileSync(join(written(), 'hooks', 'of-an-older-version.sh'), '');
  writeFileSync(join(written(), 'hooks', 'hook.sh'), 'changed');
  await plugins('install', '--project', project, '--yes');
  expect(existsSync(join(written(), 'hooks', 'of-an-older-version.sh'))).toBe(false);
  expect(readFileSync(join(written(), 'hooks', 'hook.sh'))).toEqual(readFileSync('plugins/claude/hooks/hook.sh'));
});

test('PLG-4a it follows no link', async () => {
  const elsewhere = join(folder, 'elsewhere');
  mkdirSync(elsewhere);
  mkdirSync(join(folder, 'plugins'));
  symlinkSync(elsewhere, written());
  const { code, err } = await plugins('install', '--project', project, '--yes');
  expect(code).not.toBe(0);
  expect(err).toContain('is a link');
  expect(existsSync(join(elsewhere, 'hooks'))).toBe(false);
});

test('it takes no foreign entry for ours', async () => {
  claude.state = { plugins: [], marketplaces: [{ name: 'agentworks', path: '/somebody/else' }] };
  const { err } = await plugins('install', '--project', project, '--yes');
  expect(err).toContain('/somebody/else');
  expect(existsSync(written())).toBe(false);
  expect((await plugins('uninstall', '--yes')).code).not.toBe(0);
  expect(claude.state.marketplaces).toHaveLength(1);
});

test('PLG-4a removing it leaves no trace, and what else is in the settings stays', async () => {
  const settings = join(project, '.claude', 'settings.json');
  mkdirSync(join(project, '.claude'));
  writeFileSync(settings, '{"model":"opus"}');
  await plugins('install', '--project', project, '--yes');
  await plugins('install', '--global', '--yes');
  await plugins('uninstall', '--project', project, '--yes');
  expect(JSON.parse(readFileSync(settings, 'utf8'))).toEqual({ model: 'opus' });
  expect(existsSync(written())).toBe(true);
  await plugins('uninstall', '--yes');
  expect(claude.state).toEqual({ plugins: [], marketplaces: [] });
  expect(existsSync(join(folder, 'plugins'))).toBe(false);
});

test('a host that we have no plugin for, and one that is not here, are said', async () => {
  expect((await run(['plugins', 'status', 'emacs'])).err).toContain('emacs');
  expect((await run(['plugins', 'status', 'claude', '--program', join(folder, 'nothing')])).err).toContain('--program');
});
