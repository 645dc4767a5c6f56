import { mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { socketFolder } from './socket-folder.ts';

const base = mkdtempSync(join(tmpdir(), 'agentworks-socket-'));
afterAll(() => rmSync(base, { recursive: true }));

function folder(...parts: string[]): string {
  const made = join(base, ...parts);
  mkdirSync(made, { recursive: true, mode: 0o700 });
  return made;
}

const long = () => folder('x'.repeat(120));

test('a short folder has its socket in itself', async () => {
  expect(await socketFolder(folder('short'), 's.sock')).toBe(join(base, 'short'));
});

test('a folder whose path is too long in bytes has it in a short one of this user', async () => {
  const runtime = folder('run');
  const found = await socketFolder(folder('ü'.repeat(60)), 's.sock', { XDG_RUNTIME_DIR: runtime });
  expect(found.startsWith(join(runtime, 'agentworks'))).toBe(true);
  expect(statSync(found).mode & 0o777).toBe(0o700);
});

test('every folder has its own, the same each time, by whatever path it is named', async () => {
  const env = { XDG_RUNTIME_DIR: folder('run') };
  const link = join(base, 'y'.repeat(120));
  symlinkSync(long(), link);
  const first = await socketFolder(long(), 's.sock', env);
  expect(await socketFolder(link, 's.sock', env)).toBe(first);
  expect(await socketFolder(folder('z'.repeat(120)), 's.sock', env)).not.toBe(first);
});

test('a runtime folder that others may enter is not used', async () => {
  const open = folder('open');
  mkdirSync(join(open, 'x'), { mode: 0o755 });
  const found = await socketFolder(long(), 's.sock', { XDG_RUNTIME_DIR: join(open, 'x') });
  expect(found).toMatch(/^\/tmp\/agentworks-\d+\/[0-9a-f]{16}$/);
});

test('a link that somebody put where the folder would be is refused', async () => {
  const runtime = folder('linked');
  symlinkSync(folder('elsewhere'), join(runtime, 'agentworks'));
  await expect(socketFolder(long(), 's.sock', { XDG_RUNTIME_DIR: runtime })).rejects.toThrow(
    'is not a folder of this user',
  );
});

test('a folder on a file system without sockets has it elsewhere', async () => {
  // Sockets cannot be made in /proc, nor files: it answers as a Windows drive under WSL does.
  const found = await socketFolder('/proc/self', 's.sock', { XDG_RUNTIME_DIR: folder('run') });
  expect(found.startsWith(join(base, 'run', 'agentworks'))).toBe(true);
});
