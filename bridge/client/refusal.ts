import { Code, ConnectError } from '@connectrpc/connect';
import { type Problem, ProblemSchema, Reason } from '#gen/agentworks/common/v1/problem_pb.ts';

export type ReasonName = keyof typeof Reason;

interface About {
  readonly subject?: string;
  readonly bound?: number;
  readonly suggestions?: readonly string[];
  readonly isUnsent?: boolean;
}

/**
 * A call that was refused, by the server or on this side of it. It is a ConnectError, so a program that knows Connect
 * sees what it expects; a program that knows AgentWorks branches on `reason`.
 */
export class Refusal extends ConnectError {
  readonly reason: ReasonName;
  readonly subject: string;
  readonly bound: number;
  readonly sentence: string;
  readonly suggestions: readonly string[];
  /** Surely nothing of it left this computer: there was no connection. */
  readonly isUnsent: boolean;

  constructor(reason: ReasonName, sentence: string, about: About = {}, error?: ConnectError) {
    super(sentence, error?.code ?? Code.FailedPrecondition, error?.metadata, undefined, error?.cause);
    this.details = error?.details ?? [];
    this.reason = reason;
    this.subject = about.subject ?? '';
    this.bound = about.bound ?? 0;
    this.sentence = sentence;
    this.suggestions = about.suggestions ?? [];
    this.isUnsent = about.isUnsent ?? false;
  }

  /** The same, for an act that may have arrived by an earlier attempt. */
  asSent(): Refusal {
    const { reason, sentence, subject, bound, suggestions } = this;
    return this.isUnsent ? new Refusal(reason, sentence, { subject, bound, suggestions }, this) : this;
  }

  /** ConnectError judges by looks, so that it knows those of another copy of Connect. This one must hold more. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return Function.prototype[Symbol.hasInstance].call(this, value);
  }
}

/** A number that a newer server sends is no name here: its status code then says enough. */
const names = new Map(Object.entries(Reason).map(([name, number]) => [number as Reason, name as ReasonName]));

/** What a status code means where the answer carries no Problem: it failed before our interceptors, or is not ours. */
const reasons = {
  [Code.Canceled]: 'CANCELED',
  [Code.Unknown]: 'INTERNAL',
  [Code.InvalidArgument]: 'MALFORMED',
  [Code.DeadlineExceeded]: 'DEADLINE_EXCEEDED',
  [Code.NotFound]: 'NOT_FOUND',
  [Code.AlreadyExists]: 'SUBMISSION_CONFLICT',
  [Code.PermissionDenied]: 'NOT_ALLOWED',
  [Code.ResourceExhausted]: 'LIMIT_EXCEEDED',
  [Code.FailedPrecondition]: 'NOT_ALLOWED',
  [Code.Aborted]: 'UNAVAILABLE',
  [Code.OutOfRange]: 'BAD_FIELD',
  [Code.Unimplemented]: 'UNKNOWN_RPC',
  [Code.Internal]: 'INTERNAL',
  [Code.Unavailable]: 'UNAVAILABLE',
  [Code.DataLoss]: 'INTERNAL',
  [Code.Unauthenticated]: 'SIGNED_OUT',
} as const satisfies Record<Code, ReasonName>;

/** The code that a call refused for this reason has. */
const codes: Partial<Record<ReasonName, Code>> = {
  ...Object.fromEntries(Object.entries(reasons).map(([code, reason]) => [reason, Number(code)])),
  BAD_FIELD: Code.InvalidArgument,
  BAD_CURSOR: Code.InvalidArgument,
  SELF_SEND: Code.InvalidArgument,
  MALFORMED: Code.InvalidArgument,
  NOT_ALLOWED: Code.PermissionDenied,
  FOREIGN_REQUEST: Code.PermissionDenied,
  STORAGE_FULL: Code.ResourceExhausted,
  TOO_OFTEN: Code.ResourceExhausted,
  UNAVAILABLE: Code.Unavailable,
  INTERNAL: Code.Internal,
};

/** The refusal of one act inside a stream, the same as a call of its own would have met. */
export function refused(problem: Problem): Refusal {
  const reason = names.get(problem.reason) ?? 'INTERNAL';
  const { sentence, subject, bound, suggestions } = problem;
  const error = new ConnectError(sentence, codes[reason] ?? Code.FailedPrecondition, undefined, [
    { desc: ProblemSchema, value: problem },
  ]);
  return new Refusal(reason, sentence, { subject, bound: Number(bound), suggestions }, error);
}

/** Codes that the HTTP/2 layer gives to a broken connection when no answer came. */
const breaks = new Set([Code.Aborted, Code.Canceled, Code.Internal, Code.Unavailable]);

/** The refusal in whatever a call threw. `address` is named in the sentence when the server could not be reached. */
export function refusalOf(thrown: unknown, address = 'the server', signal?: AbortSignal): Refusal {
  if (thrown instanceof Refusal) return thrown;
  const error = ConnectError.from(thrown);
  // Whoever refuses a header quotes it, and with it the secret.
  if (/\bBearer /.test(error.rawMessage))
    return new Refusal('BAD_FIELD', 'The secret is not one of ours: it cannot be sent.', { subject: 'secret' });
  const problem = error.findDetails(ProblemSchema)[0];
  if (problem !== undefined)
    return new Refusal(
      names.get(problem.reason) ?? reasons[error.code],
      problem.sentence === '' ? error.rawMessage : problem.sentence,
      { subject: problem.subject, bound: Number(problem.bound), suggestions: problem.suggestions },
      error,
    );
  if (signal?.aborted === true) return new Refusal('CANCELED', 'The call was given up.', {}, error);
  if (error.rawMessage.startsWith('serialize'))
    return new Refusal('MALFORMED', `The request cannot be written down: ${error.rawMessage}.`, {}, error);
  if (!error.isWireError && breaks.has(error.code)) return unreachable(error, address);
  return new Refusal(reasons[error.code], error.rawMessage, {}, error);
}

/** What the system says when there never was a connection. */
const unconnected = new Set([
  'ECONNREFUSED',
  'ENOENT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EACCES',
]);

function unreachable(error: ConnectError, address: string): Refusal {
  const because = systemCode(error.cause);
  const what = because === undefined ? 'The connection broke' : `Cannot reach it (${because})`;
  const sentence = `${what}: ${address}. Is the server running? \`agentworks server\` starts it.`;
  const answer = new ConnectError(sentence, Code.Unavailable, error.metadata, undefined, error.cause);
  return new Refusal('UNAVAILABLE', sentence, { isUnsent: unconnected.has(because ?? '') }, answer);
}

function systemCode(cause: unknown): string | undefined {
  if (!(cause instanceof Error)) return undefined;
  const { code } = cause as NodeJS.ErrnoException;
  return typeof code === 'string' && /^E[A-Z_0-9]+$/.test(code) && !code.startsWith('ERR_')
    ? code
    : systemCode(cause.cause);
}

/** These end by themselves: what they refuse waits, and keeps its place. */
const passing: ReadonlySet<ReasonName> = new Set<ReasonName>([
  'UNAVAILABLE',
  'DEADLINE_EXCEEDED',
  'CANCELED',
  'STORAGE_FULL',
  'TOO_OFTEN',
]);

export const isPassing = ({ reason }: Refusal): boolean => passing.has(reason);
