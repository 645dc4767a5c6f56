import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** One process, for as long as the computer is up: its number alone is given out again. */
export interface ProcessKey {
  readonly pid: number;
  readonly startTime: string;
  readonly bootId: string;
}

interface Found {
  readonly parent: number;
  readonly startTime: string;
}

/** The process that has this number now; undefined when none has, or only one that is dead and not yet buried. */
export function processKey(pid: number): ProcessKey | undefined {
  const found = look(pid);
  return found === undefined ? undefined : { pid, startTime: found.startTime, bootId: bootId() };
}

/** Whether this very process still runs. */
export function isAlive({ pid, startTime, bootId: boot }: ProcessKey): boolean {
  return look(pid)?.startTime === startTime && boot === bootId();
}

export const parentOf = (pid: number): number | undefined => look(pid)?.parent;

const isLinux = process.platform === 'linux';

const look = (pid: number): Found | undefined =>
  !Number.isSafeInteger(pid) || pid < 1 ? undefined : isLinux ? inProc(pid) : fromPs(pid);

function inProc(pid: number): Found | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The program's name stands in brackets and may hold brackets and spaces itself.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state, parent] = fields;
    const startTime = fields[19];
    if (startTime === undefined || state === 'Z' || state === 'X') return undefined;
    return { parent: Number(parent), startTime };
  } catch {
    return undefined;
  }
}

function fromPs(pid: number): Found | undefined {
  try {
    const env = { LC_ALL: 'C', TZ: 'UTC' };
    const line = execFileSync('/bin/ps', ['-o', 'ppid=,state=,lstart=', '-p', String(pid)], { encoding: 'utf8', env });
    const [, parent, state, startTime] = /^\s*(\d+)\s+(\S+)\s+(.*\S)\s*$/.exec(line) ?? [];
    if (parent === undefined || startTime === undefined || state?.startsWith('Z') === true) return undefined;
    return { parent: Number(parent), startTime };
  } catch {
    return undefined;
  }
}

let boot: string | undefined;

/** The computer's boot; opaque. */
export const bootId = (): string => (boot ??= readBootId());

function readBootId(): string {
  if (isLinux) return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  return execFileSync('/usr/sbin/sysctl', ['-n', 'kern.bootsessionuuid'], { encoding: 'utf8' }).trim();
}
