import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { writeRecord } from '../../bridge/socket/record.ts';
import { prepare, whereIs } from '../../bridge/socket/where.ts';
import { updateAt } from './update.ts';

let root: string;
let folder: string;
let env: Record<string, string>;
let bridge: Server | undefined;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'agentworks-update-'));
  folder = join(root, 'prefix', 'lib', 'node_modules', 'agentworks');
  mkdirSync(join(folder, 'bin'), { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"version":"0.1.0"}');
  env = { HOME: root, XDG_RUNTIME_DIR: root, PATH: `${root}:/usr/bin:/bin`, SAID: join(root, 'said') };
  // What npm installs is a program that says how it was asked.
  const program = `require('fs').appendFileSync(process.env.SAID, process.argv.slice(2).join(' ') + '\\n')`;
  npmDoes(`echo "npm $*" >>"$SAID"
    printf '{"version":"0.2.0"}' >'${folder}/package.json'
    printf "%s" "${program}" >'${folder}/bin/agentworks.cjs'`);
});

afterEach(async () => {
  if (bridge !== undefined) await new Promise((done) => bridge!.close(done));
  bridge = undefined;
  rmSync(root, { recursive: true, force: true });
});

function npmDoes(script: string): void {
  writeFileSync(join(root, 'npm'), `#!/bin/sh\n${script}\n`);
  chmodSync(join(root, 'npm'), 0o755);
}

async function runBridge(): Promise<void> {
  const where = whereIs(env);
  prepare(where);
  const alive = { version: '0.1.0', pid: process.pid, nonce: 'n' };
  bridge = createServer((_, response) => response.end(JSON.stringify(alive)));
  const before = process.umask(0o177);
  await new Promise<void>((done) => bridge!.listen(where.socket, done));
  process.umask(before);
  writeRecord(where.record, { ...alive, socket: where.socket });
}

const said = () => readFileSync(env['SAID']!, 'utf8').trimEnd().split('\n');

test('BRG-8b a running bridge is restarted by the version that was installed', async () => {
  await runBridge();
  const outcome = await updateAt(folder, 'latest', { env });
  expect(outcome).toEqual({ before: '0.1.0', now: '0.2.0', isBridgeRestarted: true });
  expect(said()).toEqual([`npm install --global --prefix ${join(root, 'prefix')} agentworks@latest`, 'bridge restart']);
});

test('without a bridge nothing is started', async () => {
  expect((await updateAt(folder, '0.2.0', { env })).isBridgeRestarted).toBe(false);
  expect(said()).toHaveLength(1);
});

test('an npm that fails says why, and the bridge goes on', async () => {
  await runBridge();
  npmDoes('echo "npm error code EACCES" >&2; exit 243');
  await expect(updateAt(folder, 'latest', { env })).rejects.toThrow(/npm error code EACCES/);
  await expect(updateAt(folder, 'latest', { env: { ...env, PATH: '' } })).rejects.toThrow(/npm is not on PATH/);
});

test('a clone, and what npm did not install for everybody, say how they are updated', async () => {
  mkdirSync(join(folder, 'cli'));
  writeFileSync(join(folder, 'cli', 'entry.ts'), '');
  await expect(updateAt(folder, 'latest', { env })).rejects.toThrow(/git pull/);
  const local = join(root, 'project', 'node_modules', 'agentworks');
  await expect(updateAt(local, 'latest', { env })).rejects.toThrow(/not a global installation/);
});

test.each(['--global', '../x', 'https://example.com/x.tgz', ''])('%j is no version', async (wanted) => {
  await expect(updateAt(folder, wanted, { env })).rejects.toThrow(/is no version/);
});
