import { mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { keepPlace } from './keep-place.ts';
import { prepare, type Where, whereIs } from './where.ts';

let root: string;
let where: Where;
let gone: number;
let kept: { stop(): void };

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'agentworks-place-'));
  where = whereIs({ HOME: root, XDG_RUNTIME_DIR: root });
  prepare(where);
  for (const path of [where.socket, join(where.folder, 'lock')]) writeFileSync(path, '');
  gone = 0;
  kept = keepPlace(where, () => (gone += 1), 10);
});
afterEach(() => {
  kept.stop();
  rmSync(root, { recursive: true, force: true });
});

test('what a cleaner would take for forgotten is touched', async () => {
  const marker = join(where.attached, 'session-1');
  writeFileSync(marker, '');
  const longAgo = new Date(0);
  const paths = [marker, join(where.folder, 'lock')];
  for (const path of paths) utimesSync(path, longAgo, longAgo);
  await expect.poll(() => paths.every((path) => statSync(path).mtimeMs > 0)).toBe(true);
  expect(gone).toBe(0);
});

test.each(['socket', 'lock'])('a bridge whose %s is gone, or is another, is told once', async (name) => {
  rmSync(join(where.folder, name));
  writeFileSync(join(where.folder, `other-${name}`), '');
  writeFileSync(join(where.folder, name), '');
  await expect.poll(() => gone).toBe(1);
  await new Promise((done) => setTimeout(done, 50));
  expect(gone).toBe(1);
});
