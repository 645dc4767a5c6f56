import { join } from 'node:path';
import { startPostgres } from '../../server/core/postgres.ts';
import { freePort, start } from '../processes.ts';
import type { System } from '../system.ts';
import { firstAnswer, receiver, unary } from './over-grpc.ts';

export const connectPostgres: System = {
  name: 'floor: Connect + PostgreSQL',
  durability: 'commit of a batch, synchronous_commit=on',
  async start(folder) {
    const postgres = await startPostgres(folder);
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const program = join(import.meta.dirname, '../floors/connect-postgres.ts');
    const server = start([program], { PORT: `${port}`, POSTGRES: postgres.socket }, join(folder, 'log'));
    await firstAnswer(url);
    return {
      pids: [server.pid, postgres.pid],
      senders: { unary: () => unary(url) },
      receiver: (name, onBody) => receiver(url, name, onBody),
      async stop() {
        await server.stop();
        await postgres.stop();
      },
    };
  },
};
