import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import { Problem } from '../core/problem.ts';
import { accountKey, LOCAL_ACCOUNT, type OwnerDeps } from './accounts.ts';
import { audit } from './audit.ts';
import { makeConnection } from './make-connection.ts';
import type { Peer } from './peer.ts';
import { proveOwner } from './prove.ts';
import { accountByKey } from './store/accounts.ts';

export interface SignedIn {
  readonly connectionId: string;
  readonly secret: string;
  readonly accountName: string;
}

/** A login connection for the person who owns the data folder (ACC-1). */
export async function login(
  deps: OwnerDeps,
  peer: Peer,
  input: { readonly loginKey: string; readonly label: string; readonly accountName: string },
): Promise<SignedIn> {
  proveOwner(deps.loginKey, { loginKey: input.loginKey, peer });
  const name = input.accountName || LOCAL_ACCOUNT;
  const made = await deps.orm.em.fork().transactional(async (em) => {
    const account = await accountByKey(em, accountKey(name));
    if (account === undefined) return undefined;
    const connection = await makeConnection(em, {
      accountId: account.id,
      kind: 'login',
      label: input.label || 'login',
    });
    await audit(em, {
      accountId: account.id,
      kind: 'connection.signed_in',
      connectionId: connection.connectionId,
      subject: connection.connectionId,
      sentence: `signed in on the computer of the server, as ${input.label || 'login'}`,
    });
    return { ...connection, accountName: account.name };
  });
  if (made !== undefined) return made;
  throw new Problem(
    Reason.NOT_FOUND,
    `there is no account called ${name} on this server; \`agentworks accounts list\` shows them, \`agentworks accounts add ${name}\` adds it`,
    { subject: 'account_name' },
  );
}
