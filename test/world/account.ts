import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { rpc } from '../doors/rpc.ts';
import type { Leftovers } from './leftovers.ts';
import type { Account, Agent, Person } from './people.ts';

interface Ground {
  readonly server: string;
  readonly data: string;
  readonly folder: string;
  readonly leftovers: Leftovers;
}

/** An account as whoever owns the server's machine makes one: with the login key, never by writing rows. */
export async function newAccount(name: string, { server, data, folder, leftovers }: Ground): Promise<Account> {
  const loginKey = readFileSync(join(data, 'login-key'), 'utf8').trim();
  const someone = (connectionId: string, secret: string | undefined): Person => ({
    server,
    secret,
    connectionId,
    accountName: name,
    folder,
    agentName: undefined,
    opens: (what) => leftovers.opens(`${what}, by ${connectionId} of ${name}`),
    leave: (close) => leftovers.onLeave(close),
  });
  const owner = rpc.as(someone('nobody', undefined)).access;
  if (name !== 'local') await owner.addAccount({ loginKey, accountName: name });

  const account: Account = {
    name,
    async person() {
      const answer = await owner.login({ loginKey, label: 'person', accountName: name });
      return someone(answer.connectionId, answer.secret);
    },
    async program(label) {
      const made = await rpc.as(await first()).access.createConnection({ label });
      return someone(made.connection!.connectionId, made.secret);
    },
    async agent(agentName): Promise<Agent> {
      const program = await account.program(agentName);
      const { agent } = await rpc.as(program).agents.register({ agentName });
      return { ...program, agentName, agentId: agent!.agentId };
    },
  };
  let signedIn: Promise<Person> | undefined;
  const first = () => (signedIn ??= account.person());
  return account;
}
