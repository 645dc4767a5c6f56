import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import type { Manager } from '../core/database.ts';
import { newId } from '../core/ids.ts';
import { limits } from '../core/limits.ts';
import { Problem } from '../core/problem.ts';
import { hashSecret, newSecret } from '../core/secret.ts';
import { addConnection, type ConnectionKind, countLiveLocked } from './store/connections.ts';

export interface Wanted {
  readonly accountId: string;
  readonly kind: ConnectionKind;
  readonly label: string;
  readonly parentId?: string;
  readonly agentId?: string;
  readonly scopes?: readonly string[];
  readonly targets?: readonly string[];
  readonly expireSeconds?: number;
}

/** A new connection and its secret, which is shown this once and kept only as a hash (ACC-3). */
export async function makeConnection(
  em: Manager,
  wanted: Wanted,
): Promise<{ readonly connectionId: string; readonly secret: string }> {
  await refuseMore(em, wanted.accountId);
  const connectionId = newId('con');
  const secret = newSecret();
  await addConnection(em, { ...wanted, id: connectionId, secretHash: hashSecret(secret) });
  return { connectionId, secret };
}

/** Under the account's lock, so that it is still true when one is added. */
export async function refuseMore(em: Manager, accountId: string): Promise<void> {
  const { max } = limits.connectionsPerAccount;
  if ((await countLiveLocked(em, accountId)) >= max)
    throw new Problem(
      Reason.LIMIT_EXCEEDED,
      `the account has ${max} live connections, which is the limit; revoke some that are no longer used`,
      { subject: 'connections', bound: max },
    );
}
