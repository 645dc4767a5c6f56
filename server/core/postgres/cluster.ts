import { execFile } from 'node:child_process';
import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { StartRefusal } from '../start-refusal.ts';
import { asUser, namespaceRefusal } from './as-user.ts';
import type { Binaries } from './binaries.ts';
import { alive } from './process.ts';

const run = promisify(execFile);

export const USER = 'agentworks';

/** Makes the cluster where there is none. Whole or not at all: a killed initdb leaves only a folder with another name. */
export async function ensureCluster(home: string, binaries: Binaries): Promise<string> {
  const cluster = join(home, 'cluster');
  removeUnfinished(home);
  if (existsSync(join(cluster, 'PG_VERSION'))) return cluster;
  const unfinished = `${cluster}.${process.pid}`;
  const [command, args] = asUser([
    binaries.initdb,
    `--pgdata=${unfinished}`,
    `--username=${USER}`,
    '--auth=trust', // The socket's folder admits only us.
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin', // Knows upper and lower case of every alphabet, which the C locale does not: search needs it.
    '--builtin-locale=C.UTF-8',
    '--data-checksums',
  ]);
  try {
    await run(command, args, { env: binaries.env });
    renameSync(unfinished, cluster);
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    // Another server that starts at the same moment was first.
    if (existsSync(join(cluster, 'PG_VERSION'))) return cluster;
    const { stderr = '', message } = error as Error & { stderr?: string };
    throw (
      namespaceRefusal(`${stderr}\n${message}`) ??
      new StartRefusal(`PostgreSQL could not make its files in ${home}: ${lastLine(stderr) ?? message}`)
    );
  }
  return cluster;
}

function removeUnfinished(home: string): void {
  for (const name of readdirSync(home)) {
    const pid = /^cluster\.(\d+)$/.exec(name)?.[1];
    if (pid !== undefined && !alive(Number(pid))) rmSync(join(home, name), { recursive: true, force: true });
  }
}

const lastLine = (text: string): string | undefined =>
  text
    .trim()
    .split('\n')
    .findLast((line) => line !== '');

/** What PostgreSQL is started with; the rest is its default. */
export const settings = (socket: string): string[] =>
  Object.entries({
    listen_addresses: '',
    unix_socket_directories: `"${socket.replaceAll('"', '""')}"`,
    unix_socket_permissions: '0700',
    max_connections: '100',
    shared_buffers: '128MB',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_checkpoints: 'off',
    // The text of a failed statement, and the row it failed on, can hold a message.
    log_min_error_statement: 'panic',
    log_error_verbosity: 'terse',
    jit: 'off', // Short statements only; compiling one costs more than running it.
  }).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
