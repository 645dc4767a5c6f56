import { chmodSync } from 'node:fs';
import type { ServiceImpl } from '@connectrpc/connect';
import { LocalService } from '#gen/agentworks/bridge/v1/local_pb.ts';
import { listen } from '../../bridge/socket/listen.ts';
import { removeRecord, writeRecord } from '../../bridge/socket/record.ts';
import { prepare, whereIs } from '../../bridge/socket/where.ts';
import manifest from '../../package.json' with { type: 'json' };

/** A bridge that says what a test tells it to, where the commands of this environment look for it. */
export async function stubBridge(
  env: NodeJS.ProcessEnv,
  service: Partial<ServiceImpl<typeof LocalService>>,
): Promise<AsyncDisposable> {
  const where = whereIs(env);
  prepare(where);
  const alive = { version: manifest.version, pid: process.pid, nonce: 'a nonce' };
  const listening = await listen(where.socket, {
    alive,
    routes: (router) => void router.service(LocalService, service),
    askHook: async () => '',
    onFault: (error) => console.error(error),
  });
  chmodSync(where.socket, 0o600);
  writeRecord(where.record, { ...alive, socket: where.socket });
  return {
    async [Symbol.asyncDispose]() {
      removeRecord(where.record, alive.nonce);
      await listening.close();
    },
  };
}
