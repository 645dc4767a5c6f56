import { type ChildProcess, spawn } from 'node:child_process';
import { appendFileSync, closeSync, fstatSync, openSync, readFileSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Log } from '../log.ts';
import { StartRefusal } from '../start-refusal.ts';
import { asUser, namespaceRefusal } from './as-user.ts';
import type { Binaries } from './binaries.ts';
import { settings } from './cluster.ts';
import { describeOwner, knock, own, ownerName } from './owner.ts';
import { end, type Postmaster, releaseStaleLocks, runningOn } from './process.ts';

const RECOVERY_MS = 10 * 60_000; // Replaying a gigabyte of log on a slow disk takes minutes.
const LOG_BYTES = 10 * 1024 * 1024;

export interface Supervised {
  /** Folder of `cluster` and `log`. */
  readonly home: string;
  /** Where a PostgreSQL that we start has its socket. One that we find may have it elsewhere. */
  readonly socket: string;
  readonly cluster: string;
  readonly binaries: Binaries;
  /** Where the server that owns the cluster is reached; empty when nowhere. */
  readonly url: string;
  readonly log: Log | undefined;
  /** Another server owns the cluster now: this one must stop. */
  readonly onLost: (refusal: Error) => void;
}

/**
 * Keeps one PostgreSQL running: starts it, or takes over the one that a killed server left, and starts it again when it
 * dies. The session that holds the owner's lock is also how a death is noticed, of one we did not start too.
 */
export class Supervisor {
  readonly #about: Supervised;
  readonly #stopping = new AbortController();
  #child: ChildProcess | undefined;
  #found: Postmaster | undefined;
  #session: { readonly client: pg.Client; readonly ended: Promise<void> } | undefined;
  #watching: Promise<void> | undefined;
  #logStart = 0;

  constructor(about: Supervised) {
    this.#about = about;
  }

  get pid(): number {
    return this.#found!.pid;
  }

  get socket(): string {
    return this.#found!.socket;
  }

  async start(): Promise<void> {
    try {
      await this.#reach();
    } catch (error) {
      if (!(error instanceof Owned) && this.#childRuns) await end(this.#child!.pid!);
      throw error;
    }
    this.#watching = this.#watch();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    const running = runningOn(this.#about.cluster);
    if (running !== undefined) await end(running.pid);
    await this.#watching;
    if (this.#childRuns) await end(this.#child!.pid!);
    await this.#session?.client.end().catch(() => {});
  }

  /** Goes on until there is a PostgreSQL that answers and is ours. */
  async #reach(): Promise<void> {
    const { cluster, socket, url } = this.#about;
    let failures = 0;
    for (const last = Date.now() + RECOVERY_MS; Date.now() < last; await this.#pause(25)) {
      const running = runningOn(cluster);
      const answer = await knock(running?.socket || socket, ownerName(url));
      if (typeof answer === 'object') return this.#take(answer);
      this.#stopping.signal.throwIfAborted();
      if (answer === 'busy' || running !== undefined || this.#childRuns) continue;
      if (this.#child !== undefined) {
        this.#refuse(++failures);
        await this.#pause(100 * 2 ** failures);
      }
      this.#spawn();
    }
    throw new StartRefusal(`PostgreSQL did not answer within ten minutes; see ${this.#logFile}`);
  }

  async #take(client: pg.Client): Promise<void> {
    const ended = new Promise<void>((done) => client.once('end', done));
    const outcome = await own(client);
    const found = runningOn(this.#about.cluster);
    if (outcome.owned && found !== undefined) {
      this.#found = found;
      this.#session = { client, ended };
      return;
    }
    await client.end();
    const { home } = this.#about;
    throw new Owned(
      outcome.owned
        ? `the PostgreSQL of ${home} runs where this server cannot see it, as in another container; stop it there first`
        : `${home} is already served by ${describeOwner(outcome.owner)}; use that one, stop it first, or set AGENTWORKS_DATA to another folder`,
    );
  }

  get #childRuns(): boolean {
    return this.#child?.pid !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  #spawn(): void {
    const { binaries, cluster, socket } = this.#about;
    releaseStaleLocks(cluster, socket);
    const output = this.#openLog();
    this.#logStart = fstatSync(output).size;
    const [command, args] = asUser([binaries.postgres, '-D', cluster, ...settings(socket)]);
    // A group of its own: Ctrl-C in a terminal reaches every process of a group, and this one must end after us.
    this.#child = spawn(command, args, { env: binaries.env, stdio: ['ignore', output, output], detached: true });
    this.#child.on('error', (error) => appendFileSync(this.#logFile, `${error.message}\n`));
    this.#child.unref();
    closeSync(output);
  }

  /** Whether to try again is known from what it wrote: some of the processes of one that was killed may still be ending. */
  #refuse(failures: number): void {
    const written = readFileSync(this.#logFile).subarray(this.#logStart).toString();
    const fatal =
      written
        .match(/^.*FATAL: .*$/gm)
        ?.at(-1)
        ?.replace(/^.*FATAL: +/, '') ?? '';
    if (failures < 6 && (this.#found !== undefined || /shared memory block|lock file/.test(fatal))) return;
    throw (
      namespaceRefusal(written) ??
      new StartRefusal(`PostgreSQL does not start: ${fatal || 'it gave no reason'}; see ${this.#logFile}`)
    );
  }

  async #watch(): Promise<void> {
    const { log, onLost } = this.#about;
    const stopped = new Promise<void>((done) => this.#stopping.signal.addEventListener('abort', () => done()));
    for (;;) {
      await Promise.race([this.#session!.ended, stopped]);
      if (this.#stopping.signal.aborted) return;
      log?.warn({ event: 'postgres.lost', pid: this.pid });
      this.#session = undefined;
      for (let tries = 0; this.#session === undefined; tries++)
        try {
          await this.#reach();
          log?.warn({ event: 'postgres.back', pid: this.pid });
        } catch (error) {
          if (this.#stopping.signal.aborted) return;
          if (error instanceof Owned) return onLost(error);
          log?.error({ event: 'postgres.away', err: error });
          await this.#pause(Math.min(5_000, 250 * 2 ** tries)).catch(() => {});
        }
    }
  }

  get #logFile(): string {
    return join(this.#about.home, 'log');
  }

  #openLog(): number {
    const size = statSync(this.#logFile, { throwIfNoEntry: false })?.size ?? 0;
    if (size > LOG_BYTES) renameSync(this.#logFile, `${this.#logFile}.old`);
    return openSync(this.#logFile, 'a', 0o600);
  }

  #pause(ms: number): Promise<void> {
    return sleep(ms, undefined, { signal: this.#stopping.signal, ref: true });
  }
}

/** Not a fault of ours: what we started, if it was us, is theirs to stop. */
class Owned extends StartRefusal {}
