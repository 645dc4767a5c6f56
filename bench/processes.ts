import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

export interface Child {
  readonly pid: number;
  /** Ends it and whatever it started; waits until it is gone. */
  stop(signal?: NodeJS.Signals): Promise<void>;
}

const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** A process of ours, in the same Node as this one unless the command says otherwise. */
export function start(args: readonly string[], env: Readonly<Record<string, string>>, log: string): Child {
  const out = openSync(log, 'a');
  const child = spawn(process.execPath, args, { stdio: ['ignore', out, out], env: { ...process.env, ...env } });
  running.add(child);
  const gone = once(child, 'exit').then(() => running.delete(child));
  return {
    pid: child.pid!,
    async stop(signal = 'SIGTERM') {
      child.kill(signal);
      const late = setTimeout(() => child.kill('SIGKILL'), 15_000);
      await gone;
      clearTimeout(late);
    },
  };
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

/** Asks again until it does not throw. */
export async function until<T>(ask: () => Promise<T> | T, withinMs = 30_000, everyMs = 5): Promise<T> {
  const end = performance.now() + withinMs;
  for (;;)
    try {
      return await ask();
    } catch (error) {
      if (performance.now() > end) throw error;
      await wait(everyMs);
    }
}

/** A process and everything it started. */
function family(root: number): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc'))
    if (/^\d+$/.test(name)) parents.set(Number(name), Number(statOf(Number(name))[1]));
  const isOurs = (pid: number): boolean => pid === root || (pid > 1 && isOurs(parents.get(pid) ?? 0));
  return [...parents.keys()].filter(isOurs);
}

/** The fields of /proc/PID/stat after the name, which may hold anything. */
function statOf(pid: number): string[] {
  const stat = read(`/proc/${pid}/stat`);
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/** Empty when the process is gone. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

const NS_PER_US = 1_000;
const US_PER_TICK = 10_000;

/** CPU time of one process alone, all its threads. */
export function ownCpuUs(pid: number): number {
  let threads: string[] = [];
  try {
    threads = readdirSync(`/proc/${pid}/task`);
  } catch {
    // Gone.
  }
  return threads.reduce((sum, thread) => {
    const [ran = 0] = read(`/proc/${pid}/task/${thread}/schedstat`).split(' ').map(Number);
    return sum + ran / NS_PER_US;
  }, 0);
}

/** CPU time of these processes and everything they started, those that have ended among them. */
export const cpuUs = (roots: readonly number[]): number =>
  [...new Set(roots.flatMap(family))].reduce((sum, pid) => {
    const [, , , , , , , , , , , , , ended = 0, endedInKernel = 0] = statOf(pid).map(Number);
    return sum + ownCpuUs(pid) + (ended + endedInKernel) * US_PER_TICK;
  }, 0);

/** Memory of a process alone, what it shares counted by its share. */
export function memoryKib(pid: number): number {
  const found = /^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'));
  return Number(found![1]);
}
