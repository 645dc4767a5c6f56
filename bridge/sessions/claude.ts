import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { Activity } from '#gen/agentworks/bridge/v1/local_pb.ts';
import { readOwn, socketFault } from './files.ts';
import { processKey } from './process-key.ts';
import type { HostSession } from './session.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** What Claude Code 2.1 writes about each running process. Everything in it is checked before it is believed. */
interface Registration {
  readonly pid?: unknown;
  readonly sessionId?: unknown;
  readonly cwd?: unknown;
  readonly startedAt?: unknown;
  readonly procStart?: unknown;
  readonly version?: unknown;
  readonly messagingSocketPath?: unknown;
  readonly name?: unknown;
  readonly status?: unknown;
}

const sessionIds = /^[0-9A-Za-z-]{8,64}$/;
const files = /^([1-9]\d{0,9})\.json$/;

/** The folders of registrations that this environment, and the ones of live hosts, name. */
export class ClaudeSessions {
  readonly #folders: Set<string>;

  constructor(env: Env) {
    const home = join(env['HOME'] ?? homedir(), '.claude');
    this.#folders = new Set([env['CLAUDE_CONFIG_DIR'] ?? home, home].map((folder) => join(folder, 'sessions')));
  }

  get folders(): readonly string[] {
    return [...this.#folders];
  }

  discover(): HostSession[] {
    return this.folders.flatMap((folder) =>
      namesIn(folder).flatMap((name) => {
        const pid = files.exec(name)?.[1];
        return pid === undefined ? [] : (readRegistration(folder, Number(pid)) ?? []);
      }),
    );
  }

  /** Changes with whatever the process registers; empty when that cannot be told. */
  stampOf({ config, process }: Pick<HostSession, 'config' | 'process'>): string {
    if (config === undefined) return '';
    try {
      const { ino, size, mtimeNs } = statSync(join(config, 'sessions', `${process.pid}.json`), { bigint: true });
      return [ino, size, mtimeNs].join(' ');
    } catch {
      return '';
    }
  }

  /** What this process holds, wherever its own environment says it registers. */
  heldBy(pid: number): HostSession | undefined {
    for (const folder of this.folders) {
      const session = readRegistration(folder, pid);
      if (session !== undefined) return session;
    }
    const own = configFolderOf(pid);
    if (own === undefined || this.#folders.has(join(own, 'sessions'))) return undefined;
    const session = readRegistration(join(own, 'sessions'), pid);
    if (session !== undefined) this.#folders.add(join(own, 'sessions'));
    return session;
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** The session that a process registered; undefined when the file does not fit the process that has this number now. */
function readRegistration(folder: string, pid: number): HostSession | undefined {
  const text = readOwn(join(folder, `${pid}.json`));
  const key = text === undefined ? undefined : processKey(pid);
  if (text === undefined || key === undefined) return undefined;
  const said = parse(text);
  const { sessionId, cwd, startedAt, procStart, version, name, status } = said;
  if (said.pid !== pid || typeof sessionId !== 'string' || !sessionIds.test(sessionId)) return undefined;
  // Elsewhere its form is not known; there the number and our own start time must do.
  if (process.platform === 'linux' && procStart !== key.startTime) return undefined;
  return {
    provider: 'claude',
    sessionId,
    process: key,
    folder: asText(cwd),
    config: dirname(folder),
    title: asText(name),
    activity: status === 'idle' ? Activity.IDLE : status === 'busy' ? Activity.BUSY : Activity.UNSPECIFIED,
    startTime: typeof startedAt === 'number' ? new Date(startedAt) : undefined,
    version: asText(version),
    ...socketOf(said, pid),
  };
}

const asText = (value: unknown): string => (typeof value === 'string' ? value : '');

function parse(text: string): Registration {
  try {
    return (JSON.parse(text) ?? {}) as Registration;
  } catch {
    // It is written in place: the next look sees it whole.
    return {};
  }
}

function socketOf({ messagingSocketPath: path }: Registration, pid: number): { socket: string } | { noSocket: string } {
  if (typeof path !== 'string' || !isAbsolute(path))
    return { noSocket: 'this Claude Code session has no messaging socket' };
  try {
    const folder = realpathSync(dirname(path));
    const fault = socketFault(path, folder, pid);
    return fault === '' ? { socket: path } : { noSocket: `its messaging socket is not used: ${fault}` };
  } catch {
    return { noSocket: 'its messaging socket is not there' };
  }
}

/** Where the process itself was told to keep its settings. */
function configFolderOf(pid: number): string | undefined {
  try {
    const entries = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
    const value = entries.find((entry) => entry.startsWith('CLAUDE_CONFIG_DIR='))?.slice('CLAUDE_CONFIG_DIR='.length);
    return value !== undefined && isAbsolute(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
