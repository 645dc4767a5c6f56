import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openJournal } from '../../bridge/journal/open.ts';
import { figures } from '../auditor/figures.ts';

const { status, error } = spawnSync('strace', ['-V']);
const reason = status === 0 ? undefined : `strace: ${error?.message ?? status}`;
if (reason !== undefined) figures('journal on a failing disk', { skipped: 1, because: JSON.stringify(reason) });

/** Receives 12 messages while the kernel answers some calls with an error; what was said, and what a reopened file holds. */
function onDiskThat(calls: string, fault: string) {
  const folder = mkdtempSync(join(tmpdir(), 'agentworks-disk-'));
  try {
    const file = join(folder, 'own', 'journal.db');
    const trace = join(folder, 'trace');
    const traced = ['-f', '-o', trace, '-e', `trace=${calls}`, '-e', `inject=${calls}:${fault}`];
    const script = [process.execPath, join(import.meta.dirname, 'journal-process.ts'), file, '12'];
    const { stdout, stderr } = spawnSync('strace', [...traced, ...script], { encoding: 'utf8' });
    if (!stdout.startsWith('ready')) throw new Error(`the fault came too early: ${stderr}`);
    const injected = readFileSync(trace, 'utf8').match(/\(INJECTED\)/g)?.length ?? 0;
    const journal = openJournal(file);
    const held = new Set(journal.pending('att_1', 100).map(({ messageId }) => messageId));
    const cursor = journal.lease('att_1')!.cursor;
    journal.close();
    const said = stdout.trim().split('\n').slice(1);
    const kept = said.filter((line) => line.endsWith('kept')).map((line) => line.split(' ')[0]!);
    return { said, kept, held, cursor, injected, lost: kept.filter((id) => !held.has(id)) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test.skipIf(reason !== undefined)(
  'a flush that fails is reported once and ends the file: nothing is tried again',
  () => {
    const { said, kept, lost, injected } = onDiskThat('fsync,fdatasync', 'error=EIO:when=12+');
    const refused = said.slice(kept.length);
    figures('journal flush fails', {
      kept: kept.length,
      refused: refused.length,
      flushes_tried: injected,
      lost: lost.length,
    });
    expect(kept.length).toBeGreaterThan(0);
    expect(refused.length).toBeGreaterThan(1);
    expect(refused.map((line) => line.replace(/^m\d+ /, ''))).toEqual(refused.map(() => 'INTERNAL told=1'));
    // The one that failed, and SQLite's own on closing: what was refused is not tried again.
    expect(injected).toBeLessThanOrEqual(2);
    expect(lost).toEqual([]);
  },
);

test.skipIf(reason !== undefined)('on a full disk nothing is kept by halves, and it goes on once there is room', () => {
  const { said, kept, held, lost, cursor } = onDiskThat('pwrite64', 'error=ENOSPC:when=84..86');
  const refused = said.filter((line) => line.includes('STORAGE_FULL')).map((line) => line.split(' ')[0]!);
  figures('journal disk full', { kept: kept.length, refused: refused.length, lost: lost.length });
  expect(refused.length).toBeGreaterThan(0);
  expect(said.at(-1)).toBe('m11 kept');
  expect([cursor, lost, refused.filter((id) => held.has(id))]).toEqual(['c11', [], []]);
});
