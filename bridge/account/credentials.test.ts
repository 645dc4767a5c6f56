import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readSignIn } from './config.ts';
import { forgetSignIn, keeperOf, keepSignIn, requireSignIn, secretOf } from './credentials.ts';
import { findKeyring, type Keyring } from './keyring.ts';

let folder: string;
let env: Record<string, string>;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'agentworks-credentials-'));
  env = { AGENTWORKS_CONFIG: join(folder, 'config.json'), AGENTWORKS_KEYRING: 'off' };
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const issued = { server: 'local', data: '/data', connectionId: 'con_1', secret: 'aw1_secret' };

function keyringOf(kept: Map<string, string>): Keyring {
  return {
    put: async (account, secret) => void kept.set(account, secret),
    get: async (account) => kept.get(account),
    remove: async (account) => void kept.delete(account),
  };
}

test('ACC-3b where a keyring works, the secret lies there and not in the file', async () => {
  const kept = new Map<string, string>();
  const find = async () => keyringOf(kept);
  const { file, keeper } = await keepSignIn(env, issued, undefined, find);
  expect(keeper).toBe('keyring');
  expect(readFileSync(file, 'utf8')).not.toContain('aw1_secret');
  const signIn = readSignIn(file)!;
  expect(keeperOf(signIn)).toBe('keyring');
  expect(await secretOf(env, signIn, find)).toBe('aw1_secret');
  await forgetSignIn(env, file, signIn, find);
  expect(kept.size).toBe(0);
  expect(readSignIn(file)).toBeUndefined();
});

test('ACC-3b without a keyring the secret lies in the file', async () => {
  const { file, keeper } = await keepSignIn(env, issued);
  expect(keeper).toBe('file');
  expect(await secretOf(env, readSignIn(file)!)).toBe('aw1_secret');
});

test.each([
  ['refuses', { put: () => Promise.reject(new Error('locked')) }],
  ['forgets', { get: async () => undefined }],
])('a keyring that %s is passed over', async (_what, fault) => {
  const find = async () => ({ ...keyringOf(new Map()), ...fault });
  const { file, keeper } = await keepSignIn(env, issued, undefined, find);
  expect(keeper).toBe('file');
  expect(readSignIn(file)?.secret).toBe('aw1_secret');
});

test('a keyring that no longer gives the secret is a sign-in to be renewed', async () => {
  const { file } = await keepSignIn(env, issued, undefined, async () => keyringOf(new Map()));
  await expect(secretOf(env, readSignIn(file)!, async () => undefined)).rejects.toMatchObject({ reason: 'SIGNED_OUT' });
});

test('no sign-in is SIGNED_OUT, with the command that helps', () => {
  expect(() => requireSignIn(env)).toThrow(/agentworks login/);
});

test('no keyring is asked where nobody could unlock it', async () => {
  expect(await findKeyring({ CI: '1', DISPLAY: ':0', DBUS_SESSION_BUS_ADDRESS: 'unix:' })).toBeUndefined();
  expect(
    await findKeyring({ SSH_CONNECTION: 'there', DISPLAY: ':0', DBUS_SESSION_BUS_ADDRESS: 'unix:' }),
  ).toBeUndefined();
});

test.runIf(process.platform === 'linux')('on Linux no keyring is asked without a session bus', async () => {
  expect(await findKeyring({ DISPLAY: ':0' })).toBeUndefined();
});
