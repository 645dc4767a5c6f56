import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { setTimeout as later } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { requireSignIn } from '../account/credentials.ts';
import { unsafe } from '../account/private-file.ts';
import { Refusal } from '../client/refusal.ts';
import { findBridge } from './find.ts';
import type { BridgeRecord } from './record.ts';
import { prepare, type Where } from './where.ts';

type Env = Readonly<Record<string, string | undefined>>;

const START_MS = 15_000;
const LOOK_MS = 25;
/** Two of these are kept. */
const LOG_BYTES = 4 * 1024 * 1024;

/**
 * SQLite is told to be experimental at every start. A bridge mostly waits: with the usual young generation, 100 attached
 * chats cost it 36 MiB more that it does not need; with this, 14.
 */
export const nodeFlags = ['--disable-warning=ExperimentalWarning', '--max-semi-space-size=2'];

/** The bridge of this config, started when none runs. Safe to ask for many times at once: one bridge comes of it. */
export async function startBridge(where: Where, env: Env): Promise<{ record: BridgeRecord; isNew: boolean }> {
  const running = await findBridge(where);
  if (running !== undefined) return { record: running, isNew: false };
  requireSignIn(env, where.config);
  prepare(where);
  const log = openLog(where.log);
  const child = spawn(process.execPath, [...nodeFlags, bridgeEntry()], {
    cwd: '/',
    detached: true,
    stdio: ['ignore', log, log],
    env: { ...bridgeEnv(env), AGENTWORKS_CONFIG: where.config },
  });
  closeSync(log);
  child.unref();
  let end: { readonly code: number | null } | undefined;
  let fault: string | undefined;
  child.on('error', (error) => (fault = error.message));
  child.on('exit', (code) => (end = { code }));
  for (const until = Date.now() + START_MS; Date.now() < until; await later(LOOK_MS)) {
    const record = await findBridge(where);
    // One that makes room for another is seen off: nothing that was started here is left half started.
    if (record !== undefined && (record.pid === child.pid || end !== undefined))
      return { record, isNew: record.pid === child.pid };
    if (fault === undefined && end !== undefined && end.code !== 0) fault = lastSentence(where, child.pid);
    if (fault !== undefined) throw notStarted(fault);
  }
  throw notStarted(`it did not answer within ${START_MS / 1_000} s`);
}

const notStarted = (why: string): Refusal =>
  new Refusal('UNAVAILABLE', `The bridge did not start: ${why}. See: agentworks bridge logs`);

/** The bridge's own program, as this one was installed. */
export function bridgeEntry(): string {
  const built = new URL('./bridge.js', import.meta.url);
  return fileURLToPath(existsSync(built) ? built : new URL('../main.ts', import.meta.url));
}

/** Appended to by the bridge alone. */
function openLog(file: string): number {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found !== undefined && !found.isFile()) throw unsafe(file, 'is not a plain file', 'Move it away');
  if (found !== undefined && found.size > LOG_BYTES) {
    rmSync(`${file}.1`, { force: true });
    renameSync(file, `${file}.1`);
  }
  return openSync(file, 'a', 0o600);
}

/** What the bridge said as it ended. */
function lastSentence(where: Where, pid: number | undefined): string {
  const lines = readFileSync(where.log, 'utf8').trimEnd().split('\n').slice(-20);
  const said = lines.map((line) => parse(line)).findLast((line) => line.pid === pid && line.sentence !== undefined);
  return said?.sentence?.replace(/\.$/, '') ?? 'it ended at once';
}

function parse(line: string): { readonly pid?: number; readonly sentence?: string } {
  try {
    return JSON.parse(line) as object;
  } catch {
    return {};
  }
}

const passed =
  /^(HOME|USER|LOGNAME|PATH|SHELL|LANG|LC_.*|TZ|TMPDIR|XDG_.*|DBUS_SESSION_BUS_ADDRESS|DISPLAY|WAYLAND_DISPLAY|SSL_CERT_.*|NODE_EXTRA_CA_CERTS|CLAUDE_CONFIG_DIR|AGENTWORKS_.*)$/;

/**
 * A bridge outlives the chat that started it, and serves every other: nothing that a host tells its own children goes
 * with it (ATT-2a), nor anything else that it does not need.
 */
export const bridgeEnv = (env: Env): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([name]) => passed.test(name)));
