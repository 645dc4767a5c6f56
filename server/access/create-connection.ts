import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import type { Database } from '../core/database.ts';
import { limits } from '../core/limits.ts';
import { Problem } from '../core/problem.ts';
import { audit } from './audit.ts';
import { readTargets } from './bounds.ts';
import type { Known } from './callers.ts';
import { makeConnection } from './make-connection.ts';
import { readScopes } from './scopes.ts';
import { type ShownConnection, shownOne } from './store/shown.ts';

/** A connection for a program of the account. It lives on when the person who made it signs out. */
export async function createConnection(
  deps: { readonly orm: Database },
  caller: Known,
  input: {
    readonly label: string;
    readonly expireSeconds: bigint;
    readonly scopes: readonly string[];
    readonly targets: readonly string[];
  },
): Promise<{ connection: ShownConnection; secret: string }> {
  const { max } = limits.connectionSeconds;
  if (input.expireSeconds < 0n)
    throw new Problem(Reason.BAD_FIELD, 'expire_seconds may not be negative; 0 is never', {
      subject: 'expire_seconds',
    });
  if (input.expireSeconds > BigInt(max))
    throw new Problem(
      Reason.LIMIT_EXCEEDED,
      `expire_seconds is ${input.expireSeconds}; the limit is ${max}, and 0 is never`,
      { subject: 'expire_seconds', bound: max },
    );
  const scopes = readScopes(input.scopes.length === 0 ? ['run'] : input.scopes);
  const targets = readTargets(input.targets);
  const reach = targets.length === 0 ? {} : { targets };
  return deps.orm.em.fork().transactional(async (em) => {
    const { connectionId, secret } = await makeConnection(em, {
      accountId: caller.accountId,
      kind: 'service',
      label: input.label,
      scopes,
      ...reach,
      ...(input.expireSeconds === 0n ? {} : { expireSeconds: Number(input.expireSeconds) }),
    });
    await audit(em, {
      accountId: caller.accountId,
      kind: 'connection.created',
      connectionId: caller.connectionId,
      subject: connectionId,
      sentence: `made ${input.label} for a program, with ${scopes.join(', ')}, reaching ${targets.join(', ') || 'everyone'}`,
    });
    return { connection: await shownOne(em, connectionId), secret };
  });
}
