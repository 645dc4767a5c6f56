import { type AgentWorks, connect } from '../client/index.ts';
import type { SignIn } from './config.ts';
import { requireSignIn, secretOf } from './credentials.ts';
import { checkLocalSocket, findLocalServer } from './local-server.ts';

export interface SignedIn {
  readonly client: AgentWorks;
  readonly signIn: SignIn;
  /** The config file. */
  readonly file: string;
  /** Where the client speaks to. */
  readonly address: string;
}

type Env = Readonly<Record<string, string | undefined>>;

/** A client that speaks to the server which issued this config's sign-in, and to no other. */
export async function openSignedIn(env: Env, named?: string): Promise<SignedIn> {
  const { file, signIn } = requireSignIn(env, named);
  const address = addressOf(signIn);
  const secret = await secretOf(env, signIn);
  const client = connect({ address, secret, plaintext: signIn.plaintext === true });
  return { client, signIn, file, address };
}

/** Where the server of a sign-in answers. The recorded data folder decides; AGENTWORKS_DATA has no say (ACC-9). */
export function addressOf({ server, data }: SignIn): string {
  if (server === 'local') return `unix:${findLocalServer(data ?? '').socket}`;
  if (server.startsWith('unix:')) checkLocalSocket(server.slice('unix:'.length));
  return server;
}
