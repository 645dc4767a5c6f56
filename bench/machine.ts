import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, release } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { percentile, rounded } from './figures.ts';

/** What every figure depends on. */
export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly kernel: string;
  readonly node: string;
}

export const machine = (): Machine => ({
  cpu: cpus()[0]?.model.trim() ?? 'unknown',
  cores: availableParallelism(),
  kernel: release(),
  node: process.version,
});

/** How quiet the machine is, and how fast its disk says that it has flushed. */
export interface Noise {
  readonly load: number;
  /** A fixed loop; on a quiet machine always the same. */
  readonly loopMs: number;
  readonly fsyncP50Ms: number;
  readonly fsyncP99Ms: number;
  readonly timerLateP99Ms: number;
}

export async function noise(folder: string): Promise<Noise> {
  const begun = performance.now();
  let sum = 0;
  for (let i = 0; i < 30_000_000; i++) sum = (sum * 31 + i) | 0;
  const loopMs = performance.now() - begun;

  const file = join(folder, 'noise');
  const handle = openSync(file, 'w');
  const block = Buffer.alloc(4096, sum & 255);
  const flushes = Array.from({ length: 200 }, () => {
    const from = performance.now();
    writeSync(handle, block);
    fdatasyncSync(handle);
    return performance.now() - from;
  });
  closeSync(handle);
  rmSync(file);

  const late: number[] = [];
  for (let i = 0; i < 40; i++) {
    const from = performance.now();
    await wait(5);
    late.push(performance.now() - from - 5);
  }
  return {
    load: rounded(loadavg()[0]!),
    loopMs: rounded(loopMs),
    fsyncP50Ms: rounded(percentile(flushes, 0.5)),
    fsyncP99Ms: rounded(percentile(flushes, 0.99)),
    timerLateP99Ms: rounded(percentile(late, 0.99)),
  };
}
