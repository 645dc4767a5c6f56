import { chmodSync, chownSync, lstatSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { prepare, SOCKET_PATH_BYTES, whereIs } from './where.ts';

let root: string;
let env: Record<string, string>;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'agentworks-where-'));
  env = { HOME: join(root, 'home'), XDG_RUNTIME_DIR: join(root, 'run') };
  mkdirSync(join(root, 'run'), { mode: 0o700 });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const isRoot = process.getuid?.() === 0;

test('BRG-1c the folders are made for this user alone', () => {
  const where = whereIs(env);
  prepare(where);
  for (const folder of [dirname(where.folder), where.folder, where.attached, where.state])
    expect(lstatSync(folder).mode & 0o777).toBe(0o700);
});

test('each config has a bridge of its own, and one config has one under every name of its folder', () => {
  symlinkSync(join(root, 'home'), join(root, 'other-name'));
  mkdirSync(join(root, 'home'));
  const named = (path: string) => whereIs(env, join(root, path));
  expect(named('home/shop.json').socket).not.toBe(named('home/config.json').socket);
  expect(named('home/shop.json').record).not.toBe(named('home/config.json').record);
  expect(named('other-name/shop.json')).toEqual(named('home/shop.json'));
});

test('BRG-1d a long home path and a long runtime path still give a socket path within the bound', () => {
  env = { HOME: join(root, 'h'.repeat(120)), XDG_RUNTIME_DIR: join(root, 'r'.repeat(90)) };
  mkdirSync(env['XDG_RUNTIME_DIR']!, { mode: 0o700 });
  const { socket } = whereIs(env);
  expect(Buffer.byteLength(socket)).toBeLessThanOrEqual(SOCKET_PATH_BYTES);
  expect(socket.startsWith(root)).toBe(false);
});

test.each([0o750, 0o707, 0o777])('a runtime folder with mode %o is passed over', (mode) => {
  chmodSync(join(root, 'run'), mode);
  expect(whereIs(env).socket.startsWith(root)).toBe(false);
});

test.each([0o710, 0o701, 0o777])('BRG-1c a folder of ours with mode %o is refused, not mended', (mode) => {
  const where = whereIs(env);
  prepare(where);
  chmodSync(where.folder, mode);
  expect(() => prepare(where)).toThrow(`chmod 700 ${where.folder}`);
});

test('BRG-1c a link in the place of a folder is refused', () => {
  const where = whereIs(env);
  prepare(where);
  rmSync(where.folder, { recursive: true });
  mkdirSync(join(root, 'elsewhere'), { mode: 0o700 });
  symlinkSync(join(root, 'elsewhere'), where.folder);
  expect(() => prepare(where)).toThrow(/not a link/);
});

test.runIf(isRoot)('BRG-1c a folder of another user is refused', () => {
  const where = whereIs(env);
  prepare(where);
  chownSync(where.folder, 65_534, 65_534);
  expect(() => prepare(where)).toThrow(/belongs to user 65534/);
});
