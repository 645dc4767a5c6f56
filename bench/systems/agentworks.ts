import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect, type Destination } from '../../bridge/client/index.ts';
import { type Child, freePort, start, until } from '../processes.ts';
import { rates, recipients, type Sender, type System, watched } from '../system.ts';
import { receiver, unary } from './over-grpc.ts';

const root = join(import.meta.dirname, '../..');
const built = join(root, 'dist/server.js');
/** What `npm start` runs. */
const entry = existsSync(built) ? built : join(root, 'server/main.ts');

/** A server as a process of its own, with its embedded database. */
export interface Server {
  readonly url: string;
  readonly loginKey: string;
  readonly child: Child;
}

export async function startServer(folder: string, port?: number): Promise<Server> {
  const at = port ?? (await freePort());
  const data = join(folder, 'data');
  const env = { AGENTWORKS_DATA: data, AGENTWORKS_ADDRESS: `127.0.0.1:${at}`, AGENTWORKS_LOG_LEVEL: 'warn' };
  const child = start([entry], env, join(folder, 'log'));
  const url = `http://127.0.0.1:${at}`;
  await until(async () => {
    const answer = await fetch(`${url}/readyz`);
    if (!answer.ok) throw new Error(`/readyz says ${answer.status}`);
  });
  return { url, child, loginKey: readFileSync(join(data, 'login-key'), 'utf8').trim() };
}

export async function addAccount(
  { url, loginKey }: Pick<Server, 'url' | 'loginKey'>,
  accountName: string,
): Promise<void> {
  const open = connect({ address: url });
  await open.access.addAccount({ loginKey, accountName });
  open.close();
}

/** A program with a connection of its own, and recipients that are there. */
export async function signIn(
  { url, loginKey }: Pick<Server, 'url' | 'loginKey'>,
  names: readonly string[],
  accountName = '',
): Promise<Destination & { secret: string }> {
  const open = connect({ address: url });
  const { secret } = await open.access.login({ loginKey, accountName, label: 'bench' });
  open.close();
  const person = connect({ address: url, secret, plaintext: true });
  for (const agentName of names) await person.agents.register({ agentName });
  person.close();
  return { address: url, secret, plaintext: true };
}

export const agentworks: System = {
  name: 'AgentWorks',
  durability: 'commit of a batch, synchronous_commit=on',
  async start(folder) {
    const server = await startServer(folder);
    const destination = await signIn(server, [...recipients, ...rates.map(watched)]);
    const { address, secret } = destination;
    return {
      pids: [server.child.pid],
      senders: {
        unary: () => unary(address, secret),
        'one stream': async () => streaming(destination),
      },
      receiver: (name, onBody) => receiver(address, name, onBody, secret),
      stop: () => server.child.stop(),
    };
  },
};

/** The client library's link: one stream, whatever is in flight. */
export function streaming(destination: Destination): Sender {
  const client = connect(destination);
  const link = client.openLink();
  return {
    send: (recipient, body) => link.submit({ target: `agent:${recipient}`, body }, undefined),
    close() {
      link.close();
      client.close();
    },
  };
}
