import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as later } from 'node:timers/promises';
import type { CrashPoint } from '../../server/core/crash-point.ts';
import type { Where } from '../../server/core/database.ts';

export interface ProcessSettings {
  readonly data: string;
  readonly port: number;
  /** Absent: the embedded PostgreSQL. */
  readonly database?: Where | undefined;
  readonly crashPoint?: { readonly name: CrashPoint; readonly passing: number } | undefined;
  /** What runs the server, when it is not started directly: `unshare -m …`. */
  readonly within?: readonly string[];
}

/** A server as a person starts it: its own process, from its own entry. */
export class ServerProcess {
  readonly child: ChildProcess;
  /** Resolves to the signal that ended it, or its exit code. */
  readonly ended: Promise<NodeJS.Signals | number>;
  readonly #data: string;

  constructor({ data, port, database, crashPoint, within = [] }: ProcessSettings) {
    this.#data = data;
    const [command, ...args] = [...within, process.execPath, join(import.meta.dirname, '../../server/main.ts')];
    const log = createWriteStream(`${data}.log`, { flags: 'a' });
    this.child = spawn(command, args, {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: {
        ...process.env,
        AGENTWORKS_DATA: data,
        AGENTWORKS_ADDRESS: `127.0.0.1:${port}`,
        AGENTWORKS_LOG_LEVEL: 'warn',
        ...(database === undefined ? {} : { DATABASE_URL: urlOf(database) }),
        ...(crashPoint === undefined ? {} : { AGENTWORKS_CRASH_POINT: `${crashPoint.name}:${crashPoint.passing}` }),
      },
    });
    this.child.stderr!.pipe(log);
    this.ended = once(this.child, 'exit').then(([code, signal]) => (signal ?? code) as NodeJS.Signals | number);
  }

  get pid(): number {
    return this.child.pid!;
  }

  /** Resolves once it answers; throws when it ended instead. */
  async ready(): Promise<this> {
    let end: NodeJS.Signals | number | undefined;
    void this.ended.then((how) => (end = how));
    while (!this.#isListed()) {
      if (end !== undefined) throw new Error(`the server ended (${end}) before it was ready; see ${this.#data}.log`);
      await later(10);
    }
    return this;
  }

  /** The file of a server that was killed stays until the next one writes its own. */
  #isListed(): boolean {
    try {
      const { pid } = JSON.parse(readFileSync(join(this.#data, 'server.json'), 'utf8')) as { pid: number };
      return pid === this.pid;
    } catch {
      return false;
    }
  }

  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<NodeJS.Signals | number> {
    this.child.kill(signal);
    return this.ended;
  }
}

const urlOf = ({ host, user, database }: Where): string =>
  `postgresql://${user}@/${database}?host=${encodeURIComponent(host)}`;

/** A port that is free now; the server of a test comes back to it after each kill. */
export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as { port: number };
  probe.close();
  await once(probe, 'close');
  return port;
}
