import { join } from 'node:path';
import { freePort, start } from '../processes.ts';
import type { System } from '../system.ts';
import { firstAnswer, receiver, unary } from './over-grpc.ts';

export const grpcjsFile: System = {
  name: 'floor: grpc-js + file',
  durability: 'append of a batch, fdatasync',
  async start(folder) {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const program = join(import.meta.dirname, '../floors/grpcjs-file.ts');
    const server = start([program], { PORT: `${port}`, FILE: join(folder, 'messages') }, join(folder, 'log'));
    await firstAnswer(url);
    return {
      pids: [server.pid],
      senders: { unary: () => unary(url) },
      receiver: (name, onBody) => receiver(url, name, onBody),
      stop: () => server.stop(),
    };
  },
};
