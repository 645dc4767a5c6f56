import { Code, ConnectError } from '@connectrpc/connect';
import { ProblemSchema, Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import type { Problem } from '../core/problem.ts';

/** Which status a refusal has in gRPC and Connect. A new Reason does not compile until it has one. */
export const codes = {
  UNSPECIFIED: Code.Unknown,
  SIGNED_OUT: Code.Unauthenticated,
  NOT_ALLOWED: Code.PermissionDenied,
  BAD_FIELD: Code.InvalidArgument,
  LIMIT_EXCEEDED: Code.ResourceExhausted,
  NOT_FOUND: Code.NotFound,
  SUBMISSION_CONFLICT: Code.AlreadyExists,
  BAD_CURSOR: Code.InvalidArgument,
  SELF_SEND: Code.InvalidArgument,
  LEASE_ENDED: Code.FailedPrecondition,
  MALFORMED: Code.InvalidArgument,
  UNKNOWN_RPC: Code.Unimplemented,
  UNAVAILABLE: Code.Unavailable,
  STORAGE_FULL: Code.ResourceExhausted,
  DEADLINE_EXCEEDED: Code.DeadlineExceeded,
  CANCELED: Code.Canceled,
  INTERNAL: Code.Internal,
  FOREIGN_REQUEST: Code.PermissionDenied,
  TOO_OFTEN: Code.ResourceExhausted,
  NAME_HELD: Code.FailedPrecondition,
  VERSION_MISMATCH: Code.FailedPrecondition,
  SCOPE_MISSING: Code.PermissionDenied,
} as const satisfies Record<keyof typeof Reason, Code>;

const SENTENCE_CHARACTERS = 1_000;
const SUBJECT_CHARACTERS = 200;

/** A refusal as it travels, the same at every door. */
export const shown = (problem: Problem) => ({
  reason: problem.reason,
  subject: fit(problem.subject, SUBJECT_CHARACTERS),
  bound: BigInt(Math.max(0, Math.trunc(problem.bound))),
  sentence: fit(problem.message, SENTENCE_CHARACTERS),
  suggestions: problem.suggestions.slice(0, 5).map((name) => fit(name, SUBJECT_CHARACTERS)),
});

export function answer(problem: Problem): ConnectError {
  const value = shown(problem);
  const code = codes[reasonName(problem.reason)];
  return new ConnectError(value.sentence, code, undefined, [{ desc: ProblemSchema, value }]);
}

const names = new Map<number, keyof typeof Reason>(
  Object.entries(Reason).map(([name, number]) => [number, name as keyof typeof Reason]),
);

export const reasonName = (reason: Reason): keyof typeof Reason => names.get(reason) ?? 'UNSPECIFIED';

/** Sentences quote what callers sent: it travels in headers of a few kilobytes, and ends in somebody's terminal. */
const fit = (text: string, characters: number): string =>
  text
    .slice(0, characters)
    .toWellFormed()
    .replaceAll(/\p{Cc}/gu, '\u{FFFD}');
