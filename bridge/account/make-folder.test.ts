import { existsSync, lstatSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { makeFolder as serverMakesFolder } from '../../server/core/make-folder.ts';
import { makeFolder as bridgeMakesFolder } from './make-folder.ts';

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'agentworks-folder-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe.each([
  ['the bridge', bridgeMakesFolder],
  ['the server', serverMakesFolder],
])('%s', (_who, makeFolder) => {
  test('makes a folder and those above it, closed to all others, and is content with one that is there', () => {
    makeFolder(join(folder, 'a', 'b'));
    for (const made of ['a', 'a/b']) expect(lstatSync(join(folder, made)).mode & 0o777).toBe(0o700);
    makeFolder(join(folder, 'a', 'b'));
  });

  test.runIf(existsSync('/proc/self'))('ends where no folder can be made', () => {
    expect(() => makeFolder('/proc/agentworks/deep/er')).toThrow(/ENOENT/);
  });

  test('is refused where a file is in the way', () => {
    writeFileSync(join(folder, 'file'), '');
    expect(() => makeFolder(join(folder, 'file'))).toThrow(/EEXIST/);
    expect(() => makeFolder(join(folder, 'file', 'deep'))).toThrow(/EEXIST|ENOTDIR/);
  });
});
