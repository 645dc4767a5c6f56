import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import manifest from '../package.json' with { type: 'json' };
import { requireSignIn, secretOf } from './account/credentials.ts';
import { desktopNotice } from './attach/desktop-notice.ts';
import { composeBridge } from './compose.ts';
import type { Log } from './log.ts';
import { hasClaudePlugin } from './sessions/claude-plugin.ts';
import { openSessions } from './sessions/sessions.ts';
import { keepPlace } from './socket/keep-place.ts';
import { type Alive, listen } from './socket/listen.ts';
import { waitForLock } from './socket/lock.ts';
import { removeRecord, writeRecord } from './socket/record.ts';
import { prepare, type Where, whereIs } from './socket/where.ts';

interface Starting {
  readonly env: NodeJS.ProcessEnv;
  readonly log: Log;
  /** Asks the process to stop in order. */
  readonly stop: () => void;
}

interface Daemon {
  readonly socket: string;
  readonly version: string;
  close(): Promise<void>;
}

/** One bridge for this computer and config; undefined when another serves it already. */
export async function openDaemon(starting: Starting): Promise<Daemon | undefined> {
  const where = whereIs(starting.env);
  const { signIn } = requireSignIn(starting.env);
  const secret = await secretOf(starting.env, signIn);
  prepare(where);
  const lock = await waitForLock(where);
  if (lock === undefined) return undefined;
  const version = manifest.version;
  const sessions = openSessions(starting.env);
  const { log, stop } = starting;
  const bridge = composeBridge({
    signIn,
    secret,
    version,
    journal: join(where.state, 'journal.db'),
    markers: where.attached,
    socket: where.socket,
    sessions,
    notice: desktopNotice(log),
    hasPlugin: (session) => session.provider === 'claude' && hasClaudePlugin(session),
    log,
    stop,
  });
  const door = await openDoor(where, { version, pid: process.pid, nonce: randomUUID() }, bridge, log);
  const place = keepPlace(where, () => {
    log('bridge.place_gone', { folder: where.folder });
    stop();
  });
  return {
    socket: where.socket,
    version,
    async close() {
      place.stop();
      await door.close();
      await bridge.close();
      sessions.close();
      lock.release();
    },
  };
}

/** Listens, and only then says where: whoever reads it is answered. */
async function openDoor(where: Where, alive: Alive, bridge: ReturnType<typeof composeBridge>, log: Log) {
  const listening = await listen(where.socket, {
    alive,
    routes: bridge.routes,
    askHook: bridge.askHook,
    onFault: (error) => log('bridge.fault', { error }),
  });
  writeRecord(where.record, { ...alive, socket: where.socket });
  return {
    async close() {
      removeRecord(where.record, alive.nonce);
      await listening.close();
    },
  };
}
