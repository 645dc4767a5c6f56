import { Code, ConnectError, type Interceptor } from '@connectrpc/connect';
import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import type { Log } from '../core/log.ts';
import { Problem } from '../core/problem.ts';
import { answer, reasonName, shown } from './answer.ts';
import { isExplained, recognize } from './recognize.ts';
import { newRequestId, requestIdKey } from './request-id.ts';

/** Which call it was that failed, for the log. */
interface Call {
  readonly rpc: string;
  readonly requestId: string;
}

/** The outermost interceptor: what leaves is a refusal, or INTERNAL without a word of why. */
export const problems =
  ({ log, draining }: { readonly log: Log; readonly draining: AbortSignal }): Interceptor =>
  (next) =>
  async (request) => {
    const call = { rpc: `${request.service.typeName}/${request.method.name}`, requestId: newRequestId() };
    request.contextValues.set(requestIdKey, call.requestId);
    if (draining.aborted) throw answer(stopping());
    try {
      const response = await next(request);
      response.header.set('x-request-id', call.requestId);
      return response.stream ? { ...response, message: guarded(response.message) } : response;
    } catch (error) {
      throw refused(log, error, call);
    }

    // An error after the first item would otherwise reach the client as Connect's own bare Internal.
    async function* guarded<T>(messages: AsyncIterable<T>): AsyncGenerator<T> {
      try {
        yield* messages;
      } catch (error) {
        throw draining.aborted ? answer(stopping()) : refused(log, overdue(request.signal) ?? error, call);
      }
      if (draining.aborted) throw answer(stopping());
      const late = overdue(request.signal);
      if (late !== undefined) throw refused(log, late, call);
    }
  };

/** Why a stream ended, when its deadline did it: whoever follows must not take that for the end of what there is. */
const overdue = ({ reason }: AbortSignal): ConnectError | undefined =>
  reason instanceof ConnectError && reason.code === Code.DeadlineExceeded ? reason : undefined;

function refused(log: Log, error: unknown, call: Call): ConnectError {
  if (error instanceof ConnectError && isExplained(error)) return error;
  const refusal = answer(problemOf(log, error, call));
  refusal.metadata.set('x-request-id', call.requestId);
  return refusal;
}

/** The same for what is answered inside a stream, one entry at a time. */
export const refusals =
  (log: Log) =>
  (error: unknown, rpc: string): ReturnType<typeof shown> =>
    shown(problemOf(log, error, { rpc, requestId: newRequestId() }));

/** For what is refused before any interceptor: a request that cannot be read, is too large, or is nobody's. */
export const explained =
  (log: Log, rpc: string) =>
  (error: unknown): ConnectError =>
    refused(log, error, { rpc, requestId: newRequestId() });

function problemOf(log: Log, error: unknown, call: Call): Problem {
  const problem = recognize(error);
  if (problem === undefined) {
    log.error({ event: 'rpc.bug', ...call, err: error });
    return new Problem(
      Reason.INTERNAL,
      `a fault of the server, written to its log as ${call.requestId}; the same request is safe to repeat`,
      { subject: call.requestId },
    );
  }
  log.debug({ event: 'rpc.refused', ...call, reason: reasonName(problem.reason), subject: problem.subject });
  return problem;
}

const stopping = (): Problem =>
  new Problem(Reason.UNAVAILABLE, 'the server is stopping; come back in a moment, streams from their last cursor');
