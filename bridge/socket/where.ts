import { createHash } from 'node:crypto';
import { lstatSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, extname, join } from 'node:path';
import { configFile } from '../account/config.ts';
import { makeFolder } from '../account/make-folder.ts';
import { checkPrivateFolder, unsafe } from '../account/private-file.ts';

/** Where one computer's bridge for one config keeps its things. Hooks, commands and the bridge compute it alike. */
export interface Where {
  /** The config file whose sign-in the bridge speaks under. */
  readonly config: string;
  /** The bridge's own folder, which holds its socket and its lock. */
  readonly folder: string;
  readonly socket: string;
  /** One marker file for each attached session, named by the host's session id; its text is the path of the bridge's socket. */
  readonly attached: string;
  /** What the running bridge says of itself, beside the config. */
  readonly record: string;
  /** What must survive, as the journal. */
  readonly state: string;
  /** What the bridge writes on stderr. */
  readonly log: string;
}

type Env = Readonly<Record<string, string | undefined>>;

/** The path of a Unix socket has 108 bytes on Linux and 104 on macOS, the closing zero among them; Node 20 cuts longer ones silently. */
export const SOCKET_PATH_BYTES = 103;

const me = process.getuid?.() ?? 0;

/** Computes only: makes no folder. `named` is `--config`. */
export function whereIs(env: Env, named?: string): Where {
  const file = configFile(env, named);
  const config = join(real(dirname(file)), basename(file));
  const key = createHash('sha256').update(config).digest('hex').slice(0, 16);
  const runtime = runtimeFolder(env);
  const folder = join(runtime, key);
  const stem = basename(config, extname(config));
  const home = env['XDG_STATE_HOME'] ?? join(env['HOME'] ?? homedir(), '.local', 'state');
  const state = join(home, 'agentworks', key);
  return {
    config,
    folder,
    socket: join(folder, 'socket'),
    attached: join(runtime, 'attached'),
    record: join(dirname(config), stem === 'config' ? 'bridge.json' : `${stem}.bridge.json`),
    state,
    log: join(state, 'bridge.log'),
  };
}

/** Makes the folders, or refuses those that somebody else made, or could look into. */
export function prepare(where: Where): void {
  for (const folder of [dirname(where.folder), where.folder, where.attached, where.state]) ownFolder(folder);
  if (Buffer.byteLength(where.socket) > SOCKET_PATH_BYTES)
    throw unsafe(where.socket, `is longer than ${SOCKET_PATH_BYTES} bytes`, 'Unset XDG_RUNTIME_DIR');
}

/** One file system may be seen under two names; the bridge is one all the same. */
function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return dirname(path) === path ? path : join(real(dirname(path)), basename(path));
  }
}

/**
 * A short folder of this user. The usual one is looked for even when the environment does not name it, so that a
 * chat without XDG_RUNTIME_DIR and a terminal with it mean the same bridge.
 */
function runtimeFolder(env: Env): string {
  const candidates = [env['XDG_RUNTIME_DIR'], `/run/user/${me}`];
  const given = candidates.find((folder) => folder !== undefined && isUsable(folder));
  return given === undefined ? `/tmp/agentworks-${me}` : join(given, 'agentworks');
}

function isUsable(folder: string): boolean {
  const longest = join(folder, 'agentworks', '0'.repeat(16), 'socket');
  if (!folder.startsWith('/') || Buffer.byteLength(longest) > SOCKET_PATH_BYTES) return false;
  try {
    const found = lstatSync(folder);
    return found.isDirectory() && found.uid === me && (found.mode & 0o077) === 0;
  } catch {
    return false;
  }
}

/** In a place where everybody may write, somebody may have made the folder, or a link, before us. */
function ownFolder(folder: string): void {
  makeFolder(folder);
  checkPrivateFolder(folder);
}
