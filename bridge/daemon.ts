import { randomUUID } from 'node:crypto';
import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { BridgeStatusSchema, LocalService } from '#gen/agentworks/bridge/v1/local_pb.ts';
import manifest from '../package.json' with { type: 'json' };
import { requireSignIn } from './account/credentials.ts';
import type { Log } from './log.ts';
import { openSessions } from './sessions/sessions.ts';
import { type Alive, listen } from './socket/listen.ts';
import { waitForLock } from './socket/lock.ts';
import { removeRecord, writeRecord } from './socket/record.ts';
import { prepare, whereIs } from './socket/where.ts';

interface Starting {
  readonly env: NodeJS.ProcessEnv;
  readonly log: Log;
  /** Asks the process to stop in order. */
  readonly stop: () => void;
}

export interface Daemon {
  readonly socket: string;
  readonly version: string;
  close(): Promise<void>;
}

/** One bridge for this computer and config; undefined when another serves it already. */
export async function openDaemon({ env, log, stop }: Starting): Promise<Daemon | undefined> {
  const where = whereIs(env);
  const { signIn } = requireSignIn(env);
  prepare(where);
  const lock = await waitForLock(where);
  if (lock === undefined) return undefined;
  const alive: Alive = { version: manifest.version, pid: process.pid, nonce: randomUUID() };
  const sinceTime = timestampFromDate(new Date());
  const sessions = openSessions(env);
  const status = () =>
    create(BridgeStatusSchema, {
      version: alive.version,
      pid: BigInt(alive.pid),
      server: signIn.server === 'local' ? `local ${signIn.data ?? ''}` : signIn.server,
      sinceTime,
    });
  const listening = await listen(where.socket, {
    alive,
    routes: (router) =>
      router.service(LocalService, {
        getStatus: () => ({ status: status() }),
        stop: () => {
          // The answer goes out first.
          setImmediate(stop);
          return {};
        },
      }),
    askHook: async () => '',
    onFault: (error) => log('bridge.fault', { error }),
  });
  // Only now can whoever reads it be answered.
  writeRecord(where.record, { ...alive, socket: where.socket });
  return {
    socket: where.socket,
    version: alive.version,
    async close() {
      removeRecord(where.record, alive.nonce);
      await listening.close();
      sessions.close();
      lock.release();
    },
  };
}
