import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { checkWritable, configFile, readSignIn, writeSignIn } from './config.ts';

let folder: string;
let file: string;
let env: Record<string, string>;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'agentworks-config-'));
  file = join(folder, 'own', 'config.json');
  env = { AGENTWORKS_CONFIG: file };
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const signIn = { server: 'local', data: '/data', secret: 'aw1_secret' };
const mode = (path: string) => (lstatSync(path).mode & 0o777).toString(8);

test('a sign-in is kept in a 0600 file in a 0700 folder, and read back', () => {
  expect(writeSignIn(env, signIn)).toBe(file);
  expect(mode(file)).toBe('600');
  expect(mode(join(folder, 'own'))).toBe('700');
  expect(readSignIn(file)).toEqual(signIn);
});

test('a sign-in is replaced in one step and leaves nothing beside it', () => {
  writeSignIn(env, signIn);
  writeSignIn(env, { ...signIn, secret: 'aw1_other' });
  expect(readSignIn(file)?.secret).toBe('aw1_other');
  expect(readdirSync(join(folder, 'own'))).toEqual(['config.json']);
});

test('no file is no sign-in', () => expect(readSignIn(file)).toBeUndefined());

test.each([0o644, 0o640, 0o604, 0o660, 0o606])(
  'a file with mode %o is refused, and the refusal says what to run',
  (bits) => {
    writeSignIn(env, signIn);
    chmodSync(file, bits);
    expect(() => readSignIn(file)).toThrow(`chmod 600 ${file}`);
  },
);

test.runIf(process.getuid?.() === 0)("ACC-9b another user's file is refused", () => {
  writeSignIn(env, signIn);
  chownSync(file, 1, 1);
  expect(() => readSignIn(file)).toThrow(/belongs to user 1/);
});

test('ACC-9b a symbolic link is refused, for reading and for writing', () => {
  writeSignIn(env, signIn);
  const link = join(folder, 'link.json');
  symlinkSync(file, link);
  expect(() => readSignIn(link)).toThrow(/symbolic link/);
  expect(() => writeSignIn({ AGENTWORKS_CONFIG: link }, signIn)).toThrow(/symbolic link/);
});

test('what is no plain file is refused', () => {
  expect(() => readSignIn(folder)).toThrow(/not a plain file/);
});

test.each([
  '',
  '{',
  '[]',
  '{"server": 7}',
  'null',
  '{"server": "local"}',
  '{"server": "local", "data": 5}',
  '{"server": "local", "data": "here"}',
  '{"server": "unix:/s", "secret": {}}',
  '{"server": "unix:/s", "connectionId": 7}',
  '{"server": "unix:/s", "plaintext": "yes"}',
])('a file that says %s is no config of ours', (text) => {
  writeSignIn(env, signIn);
  writeFileSync(file, text);
  expect(() => readSignIn(file)).toThrow(/no config of ours/);
});

test('a secret that could not be sent is refused by the name of its file, and not shown', () => {
  writeSignIn(env, { ...signIn, secret: 'aw1_a\nb' });
  expect(() => readSignIn(file)).toThrow(`The secret in ${file} is not one of ours`);
  expect(() => readSignIn(file)).not.toThrow(/aw1_a/);
});

test('a config that cannot be written is told before there is anything to keep, and the try leaves nothing behind', () => {
  checkWritable(file);
  expect(readdirSync(join(folder, 'own'))).toEqual([]);
  expect(() => checkWritable(join(folder, 'own'))).toThrow(/is a folder/);
  writeFileSync(join(folder, 'plain'), '');
  expect(() => checkWritable(join(folder, 'plain', 'config.json'))).toThrow(/cannot be written/);
});

test.each(['.git', '.hg', '.jj'])('ACC-9b a config inside a project (%s) is refused', (mark) => {
  const project = join(folder, 'project');
  mkdirSync(join(project, mark), { recursive: true });
  const inside = join(project, 'deep', 'config.json');
  expect(() => configFile({ AGENTWORKS_CONFIG: inside })).toThrow(`inside the project ${project}`);
  expect(() => configFile({}, inside)).toThrow(/inside the project/);
});

test('ACC-1d --config goes before AGENTWORKS_CONFIG, and that before the usual place', () => {
  expect(configFile({ ...env, XDG_CONFIG_HOME: '/xdg' }, join(folder, 'named.json'))).toBe(join(folder, 'named.json'));
  expect(configFile({ ...env, XDG_CONFIG_HOME: '/xdg' })).toBe(file);
  expect(configFile({ XDG_CONFIG_HOME: '/xdg' })).toBe('/xdg/agentworks/config.json');
  expect(configFile({ HOME: '/home/me', AGENTWORKS_CONFIG: '' })).toBe('/home/me/.config/agentworks/config.json');
});
