import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { alive } from '../../server/core/postgres/process.ts';

const entry = resolve('server/main.ts');

/** A server as a process of its own. */
export interface Served {
  readonly pid: number;
  readonly data: string;
  readonly url: string;
  /** What it said to the person, and its log. */
  readonly said: () => string;
  readonly kill: (signal?: NodeJS.Signals) => Promise<number | null>;
}

/** A server that did not start. */
export interface Refused {
  readonly code: number | null;
  readonly said: string;
}

const started = new Set<ChildProcess>();
const folders = new Set<string>();

/** A data folder of one's own, removed by `cleanUp`. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'agentworks-e2e-'));
  folders.add(folder);
  return folder;
}

interface How {
  readonly data?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** What is run instead of Node itself, as `setpriv … node`. */
  readonly command?: readonly string[];
  readonly args?: readonly string[];
}

export async function start(how: How = {}): Promise<Served> {
  const outcome = await begin(how).outcome;
  if ('code' in outcome) throw new Error(`it did not start (${outcome.code}):\n${outcome.said}`);
  return outcome;
}

export async function refused(how: How): Promise<Refused> {
  const outcome = await begin(how).outcome;
  if ('code' in outcome) return outcome;
  await outcome.kill();
  throw new Error(`it started:\n${outcome.said()}`);
}

/** A start whose end is not waited for. */
export function begin({ data = newFolder(), env = {}, command = [process.execPath], args = [] }: How) {
  const [program, ...before] = command;
  const child = spawn(program!, [...before, entry, ...args], {
    env: { PATH: process.env['PATH'], AGENTWORKS_DATA: data, AGENTWORKS_ADDRESS: '127.0.0.1:0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  started.add(child);
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (said += text));
  const exited = once(child, 'close').then(([code]) => code as number | null);
  const kill = (signal: NodeJS.Signals = 'SIGTERM') => {
    child.kill(signal);
    return exited;
  };
  return { kill, outcome: ready() };

  async function ready(): Promise<Served | Refused> {
    for (;;) {
      const url = /AgentWorks is ready at (\S+)/.exec(said)?.[1];
      if (url !== undefined) return { pid: child.pid!, data, url, said: () => said, kill };
      const ended = await Promise.race([exited, sleep(20, 'not yet' as const)]);
      if (ended !== 'not yet') return { code: ended, said };
    }
  }
}

/** The embedded PostgreSQL of a data folder, while it runs. */
export function postgresOf(data: string): number | undefined {
  const file = join(data, 'postgres', 'cluster', 'postmaster.pid');
  const pid = existsSync(file) ? Number(readFileSync(file, 'utf8').split('\n')[0]) : 0;
  return pid > 0 && alive(pid) ? pid : undefined;
}

/** Looks again until it holds. */
export async function until(holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
  for (const last = Date.now() + 30_000; Date.now() < last; await sleep(20)) if (await holds()) return;
  throw new Error(`it never came to be that ${what}`);
}

export const status = async (url: string): Promise<number> => (await fetch(url)).status;

/** Ends everything these tests started, whatever became of them. */
export async function cleanUp(): Promise<void> {
  for (const child of started) if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
  started.clear();
  for (const folder of folders) {
    const pid = postgresOf(folder);
    if (pid !== undefined) {
      process.kill(pid, 'SIGQUIT');
      await until(() => !alive(pid), 'PostgreSQL ended');
    }
    rmSync(folder, { recursive: true, force: true });
  }
  folders.clear();
}
