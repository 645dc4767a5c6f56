import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { openDataFolder, privateSocket, readLoginKey, writeServerFile } from './data-folder.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'agentworks-folder-'));
  folders.push(folder);
  return folder;
}

const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);

test('a folder is made, for its owner alone', () => {
  const folder = join(newFolder(), 'a', 'b');
  openDataFolder(folder);
  expect(mode(folder)).toBe('700');
});

test('one of ours that was opened to others is closed again', () => {
  const folder = newFolder();
  readLoginKey(folder);
  chmodSync(folder, 0o755);
  openDataFolder(folder);
  expect(mode(folder)).toBe('700');
});

test('a path that cannot be a folder is refused', () => {
  const file = join(newFolder(), 'file');
  writeFileSync(file, '');
  expect(() => openDataFolder(join(file, 'data'))).toThrow('cannot be used (ENOTDIR); set AGENTWORKS_DATA');
});

test('the login key is made once, for its owner alone', () => {
  const folder = newFolder();
  const key = readLoginKey(folder);
  expect(Buffer.from(key, 'base64url')).toHaveLength(32);
  expect(readLoginKey(folder)).toBe(key);
  expect(mode(join(folder, 'login-key'))).toBe('600');
  expect(readdirSync(folder)).toEqual(['login-key']);
});

test('a login key that others can read is worth nothing', () => {
  const folder = newFolder();
  readLoginKey(folder);
  chmodSync(join(folder, 'login-key'), 0o644);
  expect(() => readLoginKey(folder)).toThrow('can be read by others; remove it, and the server makes another');
});

test('what a server says of itself goes with it, unless another has come since', () => {
  const folder = newFolder();
  const self = { version: '1', pid: 1, epoch: 'e', url: 'u', socket: '/one' };
  const file = join(folder, 'server.json');
  const removeFirst = writeServerFile(folder, self);
  expect(mode(file)).toBe('600');
  const removeSecond = writeServerFile(folder, { ...self, socket: '/two' });
  removeFirst();
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ socket: '/two' });
  removeSecond();
  expect(existsSync(file)).toBe(false);
});

test('a socket that a killed server left is replaced, one that answers is let be', async () => {
  const folder = newFolder();
  const path = join(folder, 'server.sock');
  writeFileSync(path, '');
  expect(await privateSocket(folder)).toBe(path);
  expect(existsSync(path)).toBe(false);
  const other = createServer();
  await new Promise<void>((done) => other.listen(path, done));
  const second = await privateSocket(folder);
  expect(second).toMatch(/\/server-\d+-[0-9a-f]{6}\.sock$/);
  expect(existsSync(path)).toBe(true);
  other.close();
});
