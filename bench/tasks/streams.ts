import { setTimeout as wait } from 'node:timers/promises';
import { percentile } from '../figures.ts';
import { freePort, memoryKib } from '../processes.ts';
import { addAccount, signIn, startServer } from '../systems/agentworks.ts';
import { receiver } from '../systems/over-grpc.ts';

export interface Streams {
  readonly streams: number;
  readonly kibPerStream: number;
  /** From the kill to the moment each stream has begun again; with the start of the server in it. */
  readonly backP50Ms: number;
  readonly backAllMs: number;
}

/** An account holds at most this many names. */
const NAMES = 100;

/** Open streams, each on a connection of its own and under a name of its own; then the server is killed under them. */
export async function streams(folder: string, count: number): Promise<Streams> {
  const port = await freePort();
  let server = await startServer(folder, port);
  const secrets: string[] = [];
  for (let account = 0; account * NAMES < count; account++) {
    const accountName = `bench-${account}`;
    await addAccount(server, accountName);
    const names = Array.from({ length: Math.min(NAMES, count - account * NAMES) }, (_, i) =>
      nameOf(account * NAMES + i),
    );
    secrets.push((await signIn(server, names, accountName)).secret);
  }
  const follow = (i: number) => receiver(server.url, nameOf(i), () => {}, secrets[Math.floor(i / NAMES)]);
  // Whatever the registrations left behind is not the streams' memory.
  await wait(2_000);
  const before = memoryKib(server.child.pid);
  const all = await inSlices(count, follow);
  await wait(2_000);
  const kibPerStream = (memoryKib(server.child.pid) - before) / count;

  const killedAt = performance.now();
  await server.child.stop('SIGKILL');
  for (const stream of all) stream.close();
  const back: number[] = [];
  const again = Array.from({ length: count }, async (_, i) => {
    for (let failures = 0; ; failures++) {
      await wait(Math.random() * Math.min(2_000, 100 * 2 ** failures));
      try {
        const stream = await follow(i);
        back.push(performance.now() - killedAt);
        return stream;
      } catch {
        // Not there yet.
      }
    }
  });
  server = await startServer(folder, port);
  for (const stream of await Promise.all(again)) stream.close();
  await server.child.stop();
  return { streams: count, kibPerStream, backP50Ms: percentile(back, 0.5), backAllMs: Math.max(...back) };
}

const nameOf = (i: number): string => `stream-${i}`;

/** Fifty at a time, which is what fifty computers that start together do. */
async function inSlices<T>(count: number, each: (i: number) => Promise<T>): Promise<T[]> {
  const all: T[] = [];
  for (let from = 0; from < count; from += 50)
    all.push(...(await Promise.all(Array.from({ length: Math.min(50, count - from) }, (_, i) => each(from + i)))));
  return all;
}
