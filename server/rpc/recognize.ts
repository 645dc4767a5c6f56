import { Code, ConnectError } from '@connectrpc/connect';
import { ProblemSchema, Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import { Problem } from '../core/problem.ts';
import { malformed } from './malformed.ts';

/** What an error means to the caller; nothing when it is a fault of ours. */
export function recognize(error: unknown): Problem | undefined {
  if (error instanceof Problem) return error;
  if (error instanceof ConnectError) return fromConnect(error);
  if (!(error instanceof Error)) return undefined;
  if (error.name === 'AbortError') return canceled();
  return fromSystem(error);
}

/** Whether it says already why. */
export const isExplained = (error: ConnectError): boolean =>
  error.details.some((detail) => ('desc' in detail ? detail.desc.typeName : detail.type) === ProblemSchema.typeName);

/** What Connect refuses on its own, before or around our interceptors. */
function fromConnect(error: ConnectError): Problem | undefined {
  switch (error.code) {
    case Code.Canceled:
    case Code.Aborted:
      return canceled();
    case Code.DeadlineExceeded:
      return new Problem(
        Reason.DEADLINE_EXCEEDED,
        'the deadline passed before the answer; whether it was done is not known, and the same request is safe to repeat',
      );
    case Code.Unavailable:
      return unavailable();
    default:
      return malformed(error);
  }
}

const canceled = () => new Problem(Reason.CANCELED, 'the caller left before the answer');

const unavailable = () =>
  new Problem(Reason.UNAVAILABLE, 'the database is away; the same request is safe to repeat in a moment');

/** SQLSTATEs and system errors: the database went away, is starting or stopping, or has no room. */
const AWAY =
  /^(08...|57P0.|53300|53200|25006|ECONN(REFUSED|RESET|ABORTED)|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENOTFOUND|EAI_AGAIN)$/;
const RETRY = /^(40001|40P01|55P03)$/;
const FULL = /^(53100|ENOSPC|EDQUOT)$/;
/** What pg says, without a code, when a connection ends under a query or cannot be had. */
const AWAY_WORDS =
  /Connection terminated|connection error and is not queryable|timeout exceeded when trying to connect|Client was closed|pool after calling end/;

function fromSystem(error: Error): Problem | undefined {
  // MikroORM wraps what the driver threw, and keeps the code.
  const { code } = error as { code?: unknown };
  if (typeof code === 'string') {
    if (FULL.test(code) || (code === '58030' && /No space left/.test(error.message)))
      return new Problem(
        Reason.STORAGE_FULL,
        "the server's disk is full; nothing was stored. Free space and try again",
      );
    if (AWAY.test(code)) return unavailable();
    if (RETRY.test(code))
      return new Problem(Reason.UNAVAILABLE, 'the database was busy with something that excludes this; try again');
  }
  if (AWAY_WORDS.test(error.message) || error.message.startsWith('connect ENOENT')) return unavailable();
  return error.cause instanceof Error ? fromSystem(error.cause) : undefined;
}
