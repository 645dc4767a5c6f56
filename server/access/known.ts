import { createContextKey, type HandlerContext } from '@connectrpc/connect';
import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import type { Hold } from '../core/endings.ts';
import { Problem } from '../core/problem.ts';
import { callerKey, type Known } from './callers.ts';

/** The caller's right, held from before it was judged until the answer has left. */
export const rightKey = createContextKey<Hold | undefined>(undefined, { description: 'right' });

type Context = Pick<HandlerContext, 'values' | 'signal'>;

/** The caller of an RPC whose row refuses nobody. */
export function known(context: Pick<Context, 'values'>): Known {
  const caller = context.values.get(callerKey);
  if (caller.kind === 'nobody') throw signedOut();
  return caller;
}

/** For waiting: aborts when the caller leaves, and when its right ends. */
export function endSignal(context: Context): AbortSignal {
  const right = context.values.get(rightKey);
  return right === undefined ? context.signal : AbortSignal.any([context.signal, right.signal]);
}

export const signedOut = (): Problem =>
  new Problem(Reason.SIGNED_OUT, 'not signed in, or the connection was revoked or expired; run `agentworks login`');
