import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as later } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { RESERVE_BYTES } from '../../server/core/disk-room.ts';
import { figures, judge } from '../auditor/figures.ts';
import { rpc } from '../doors/rpc.ts';
import { inScene } from './scene.ts';

const MIB = 1024 * 1024;

/** A small disk of the server's own, which nobody outside its mount namespace sees. */
const mounting = (folder: string) => [
  'unshare',
  '--mount',
  'sh',
  '-c',
  `mount -t tmpfs -o size=320m,mode=700 tmpfs "$0" && exec "$@"`,
  folder,
];

function whyNot(): string | undefined {
  if (process.platform !== 'linux') return 'mount namespaces are Linux';
  const { status, stderr, error } = spawnSync('unshare', ['--mount', 'true'], { encoding: 'utf8' });
  return status === 0 ? undefined : `unshare --mount: ${error?.message ?? stderr.trim()}`;
}

const reason = whyNot();
if (reason !== undefined) figures('disk full', { skipped: 1, because: JSON.stringify(reason) });

test.skipIf(reason !== undefined)(
  'on a full disk sends are refused as STORAGE_FULL, and nothing answered is lost',
  () =>
    inScene(
      {
        embedded: true,
        within: (data) => {
          const postgres = join(data, 'postgres');
          mkdirSync(postgres, { recursive: true, mode: 0o700 });
          return mounting(postgres);
        },
      },
      async (scene) => {
        const disk = join(`/proc/${scene.server.pid}/root`, scene.data, 'postgres');
        const ballast = join(disk, 'ballast');
        await scene.load(4, { bodyBytes: 20_000 });
        await scene.answered(50);
        const { bavail, bsize } = statfsSync(disk);
        writeFileSync(ballast, Buffer.alloc(bavail * bsize - RESERVE_BYTES - 8 * MIB));
        while ((scene.retries['STORAGE_FULL'] ?? 0) < 20) await later(20);
        const answered = scene.ledger.acked;
        const [alice] = scene.agents;
        expect((await rpc.as(alice!).messages.read({ pageSize: 1 })).messages).toHaveLength(1);
        rmSync(ballast);
        const begun = performance.now();
        await scene.answersAgain();
        const back = Math.round(performance.now() - begun);
        const refused = scene.retries['STORAGE_FULL']!;
        await scene.quiet();
        judge('disk full', { refused, answered_before: answered, back_ms: back }, await scene.audit());
      },
    ),
);
