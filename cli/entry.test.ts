import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { expect, test } from 'vitest';

const entry = ['cli/entry.ts', '--version'];

test.runIf(existsSync('/dev/full'))('a result that cannot be written is one sentence, and exit code 1', () => {
  const full = openSync('/dev/full', 'w');
  const { status, stderr } = spawnSync(process.execPath, entry, { stdio: ['ignore', full, 'pipe'], encoding: 'utf8' });
  closeSync(full);
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: 'agentworks: What was found could not be printed (ENOSPC).\n',
  });
});
