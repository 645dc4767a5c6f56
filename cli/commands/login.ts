import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { create } from '@bufbuild/protobuf';
import { WhoAmIResponseSchema } from '#gen/agentworks/access/v1/access_pb.ts';
import { checkWritable, configFile, readSignIn, type SignIn } from '../../bridge/account/config.ts';
import { keeperOf, keepSignIn } from '../../bridge/account/credentials.ts';
import { dataFolder, findLocalServer, readLoginKey } from '../../bridge/account/local-server.ts';
import { serverElsewhere, signInElsewhere } from '../../bridge/account/sign-in-elsewhere.ts';
import { connect, Refusal } from '../../bridge/client/index.ts';
import { startBridge } from '../../bridge/socket/start.ts';
import { whereIs } from '../../bridge/socket/where.ts';
import { command, type Context } from '../command.ts';
import { printable } from '../faces/printable.ts';
import { text } from '../options.ts';
import { stopBridge } from './bridge/stop.ts';
import { contextTable } from './help/context-table.ts';

export const login = command({
  description:
    'Proves to the server on this computer that you can read its data folder, over its private socket, and keeps the\nsecret it answers in your keyring, or in a file that only you can read. With --server it signs in to a server\nelsewhere: it shows a code, which you confirm in a browser. Each --config is a sign-in of its own.',
  options: {
    server: text('URL', 'A server elsewhere, as https://agents.example.com'),
    account: text('NAME', "The account on this computer's server; without it, its first"),
    label: text('TEXT', 'What you will see in the list of connections; without it, the name of this computer'),
  },
  examples: [
    'agentworks login',
    'agentworks login --server https://agents.example.com',
    'agentworks login --account shop --config ~/.config/agentworks/shop.json',
  ],
  async run(context, { server, account, label }) {
    const { io, face, globals } = context;
    if (server !== undefined) return loginElsewhere(context, serverElsewhere(server), { account, label });
    const data = resolve(dataFolder(io.env));
    const file = configFile(io.env, globals.config);
    const before = readSignIn(file);
    if (before !== undefined && (await isStillGood(context, before, { file, server: 'local', data, account }))) return;
    const local = findLocalServer(data);
    checkWritable(file);
    const client = connect({ address: `unix:${local.socket}` });
    try {
      const answer = await client.access.login({
        loginKey: readLoginKey(data),
        label: label ?? computerName(),
        accountName: account ?? '',
      });
      const { connectionId, secret, accountName } = answer;
      const issued = { server: 'local', data, epoch: local.epoch, accountName, connectionId, secret };
      const kept = await keepSignIn(io.env, issued, globals.config);
      await renewBridge(io.env, globals.config);
      const who = create(WhoAmIResponseSchema, { accountName, connectionId, kind: 1, serverVersion: local.version });
      face.result(WhoAmIResponseSchema, who, () => contextTable(who, { ...kept, address: `unix:${local.socket}` }));
      face.say(SIGNED_IN);
    } finally {
      client.close();
    }
  },
});

const SIGNED_IN = 'Signed in. Next, give one of your programs a name: agentworks messages register --agent NAME';

const computerName = (): string => hostname().slice(0, 64);

async function loginElsewhere(
  context: Context,
  server: string,
  { account, label }: { readonly account: string | undefined; readonly label: string | undefined },
): Promise<void> {
  const { io, face, globals } = context;
  if (account !== undefined)
    throw new Refusal('BAD_FIELD', 'Which account it is you say in the browser; leave --account out.', {
      subject: 'account',
    });
  const file = configFile(io.env, globals.config);
  const before = readSignIn(file);
  if (before !== undefined && (await isStillGood(context, before, { file, server, data: undefined, account }))) return;
  checkWritable(file);
  const secret = await signInElsewhere(server, {
    label: label ?? computerName(),
    signal: io.signal,
    // Also where a program reads the result: without these words nobody can go on.
    show: ({ url, code }) => io.err(`Open ${printable(url)} and confirm the code ${printable(code)}\n`),
  });
  const client = connect({ address: server, secret });
  try {
    const who = await client.access.whoAmI({});
    const { accountName, connectionId } = who;
    const kept = await keepSignIn(io.env, { server, accountName, connectionId, secret }, globals.config);
    await renewBridge(io.env, globals.config);
    face.result(WhoAmIResponseSchema, who, () => contextTable(who, { ...kept, address: server }));
    face.say(SIGNED_IN);
  } finally {
    client.close();
  }
}

/** A bridge that runs speaks under the sign-in that it found when it started. */
async function renewBridge(env: Context['io']['env'], named: string | undefined): Promise<void> {
  const where = whereIs(env, named);
  if (await stopBridge(where)) await startBridge(where, env);
}

/** Signing in twice is no mistake, unless it would silently leave one server or account for another. */
async function isStillGood(
  context: Context,
  before: SignIn,
  { file, server, data, account }: Wanted,
): Promise<boolean> {
  if (before.server !== server || before.data !== data) throw taken(file, before.data ?? before.server);
  try {
    const { client, address } = await context.signedIn();
    const who = await client.access.whoAmI({});
    if (account !== undefined && account.toLowerCase() !== who.accountName.toLowerCase())
      throw taken(file, who.accountName);
    const kept = { file, keeper: keeperOf(before), address };
    context.face.result(WhoAmIResponseSchema, who, () => contextTable(who, kept));
    context.face.say('You were signed in already.');
    return true;
  } catch (error) {
    if (error instanceof Refusal && error.reason === 'SIGNED_OUT') return false;
    throw error;
  }
}

interface Wanted {
  readonly file: string;
  readonly server: string;
  /** Of the server on this computer. */
  readonly data: string | undefined;
  readonly account: string | undefined;
}

const taken = (file: string, by: string): Refusal => {
  const sentence = `${file} is signed in to ${by}. Sign out first with agentworks logout (--forget when its server is gone), or name another --config.`;
  return new Refusal('NOT_ALLOWED', sentence, { subject: file });
};
