// For a bench that compares message systems of several makers in one run: an adapter exports `name`, `durability`,
// `available()`, `prepare(folder)`, which is not timed, and `start(folder, prepared)`; with `variants` it is loaded again
// as `?v=...`. `send()` resolves when the system has said that the message is kept. Needs Node 22.18 or newer.
import { addAccount, signIn, startServer, streaming } from './systems/agentworks.ts';
import { firstAnswer, receiver, unary } from './systems/over-grpc.ts';

export const variants = ['unary', 'stream'];
const way = new URL(import.meta.url).searchParams.get('v') ?? 'unary';

export const name = way === 'stream' ? 'agentworks-stream' : 'agentworks';
export const durability = 'fsync per commit (synchronous_commit=on), many messages a commit';

export async function available() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  return major > 22 || (major === 22 && minor >= 18) ? null : `needs Node 22.18 or newer; this is ${process.version}`;
}

/** Names that the bench uses; an account holds a hundred at most. */
const names = ['warm', 'thr', 'push', 'one'];
const NAMES = 100;
const STREAMS = 500;

/** The embedded database is made here, as it would be on any but the first start. */
export async function prepare(folder) {
  const server = await startServer(folder);
  const secret = (await signIn(server, names)).secret;
  const idle = [];
  for (let from = 0; from < STREAMS; from += NAMES) {
    const accountName = `idle-${from}`;
    await addAccount(server, accountName);
    const agents = Array.from({ length: NAMES }, (_, i) => `idle${from + i}`);
    idle.push((await signIn(server, agents, accountName)).secret);
  }
  await server.child.stop();
  return { secret, idle };
}

export async function start(folder, { secret, idle }) {
  const server = await startServer(folder);
  await firstAnswer(server.url, secret);
  const destination = { address: server.url, secret, plaintext: true };
  return {
    pid: server.child.pid,
    maxStreams: STREAMS,
    stop: () => server.child.stop(),
    sender: async () => (way === 'stream' ? streaming(destination) : unary(server.url, secret)),
    receiver: (inbox, onMessage) => receiver(server.url, inbox, onMessage, secretFor(inbox)),
  };

  function secretFor(inbox) {
    const number = /^idle(\d+)$/.exec(inbox)?.[1];
    return number === undefined ? secret : idle[Math.floor(Number(number) / NAMES)];
  }
}
