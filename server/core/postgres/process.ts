import { readFileSync, readlinkSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** The process that PostgreSQL's own lock file names, and the folder of its socket. */
export interface Postmaster {
  readonly pid: number;
  readonly socket: string;
}

/** The PostgreSQL that runs on this cluster now, whoever started it. */
export function runningOn(cluster: string): Postmaster | undefined {
  const lines = read(join(cluster, 'postmaster.pid')).split('\n');
  const pid = Number(lines[0]);
  return pid > 1 && isPostmaster(pid, cluster) ? { pid, socket: lines[4] ?? '' } : undefined;
}

/** The number may have gone to another program since it was written down; PostgreSQL works inside its cluster. */
function isPostmaster(pid: number, cluster: string): boolean {
  if (!alive(pid)) return false;
  if (process.platform !== 'linux') return true;
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === realpathSync(cluster);
  } catch {
    return false;
  }
}

/**
 * PostgreSQL does not start while the number in a lock file is in use, even by a program that has nothing to do with it,
 * as happens after each restart of a container. Its parent's number it takes for an old one, and goes on to check what
 * matters: whether anything still uses the cluster's memory.
 */
export function releaseStaleLocks(cluster: string, socket: string): void {
  for (const file of [join(cluster, 'postmaster.pid'), join(socket, '.s.PGSQL.5432.lock')]) {
    const text = read(file);
    const pid = Number(/^\d+/.exec(text)?.[0]);
    if (pid > 1 && alive(pid) && !isPostmaster(pid, cluster))
      writeFileSync(file, text.replace(/^\d+/, `${process.pid}`));
  }
}

/** A process that ended and was not collected by its parent is not alive. */
export function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  return process.platform !== 'linux' || !/^\d+ \(.*\) [ZX] /s.test(read(`/proc/${pid}/stat`));
}

/** Ends PostgreSQL: at first it may write down what it holds in memory, in the end it may not. */
export async function end(pid: number): Promise<void> {
  for (const [signal, ms] of [
    ['SIGINT', 20_000],
    ['SIGQUIT', 5_000],
    ['SIGKILL', 5_000],
  ] as const) {
    if (!alive(pid)) return;
    process.kill(pid, signal);
    for (const last = Date.now() + ms; Date.now() < last; await sleep(10)) if (!alive(pid)) return;
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
