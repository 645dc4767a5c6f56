import { Code, ConnectError, type Interceptor } from '@connectrpc/connect';
import { ProblemSchema, Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import { Refusal } from '../client/refusal.ts';

type OnFault = (error: unknown) => void;

/** A refusal keeps its reason and its subject on the way to whoever asked. Anything else that is thrown is a bug. */
export const explained =
  (onFault: OnFault): Interceptor =>
  (next) =>
  async (request) => {
    try {
      const response = await next(request);
      return response.stream ? { ...response, message: each(response.message, onFault) } : response;
    } catch (error) {
      throw explanation(error, onFault);
    }
  };

function explanation(error: unknown, onFault: OnFault): ConnectError {
  if (error instanceof Refusal) return withProblem(error);
  if (error instanceof ConnectError && error.code !== Code.Internal) return error;
  onFault(error);
  return new ConnectError('The bridge had a fault; its log says which: agentworks bridge logs', Code.Internal);
}

async function* each<T>(messages: AsyncIterable<T>, onFault: OnFault): AsyncIterable<T> {
  try {
    yield* messages;
  } catch (error) {
    throw explanation(error, onFault);
  }
}

function withProblem(refusal: Refusal): ConnectError {
  if (refusal.findDetails(ProblemSchema).length > 0) return refusal;
  const { reason, sentence, subject, bound, suggestions } = refusal;
  const value = { reason: Reason[reason], sentence, subject, bound: BigInt(bound), suggestions: [...suggestions] };
  return new ConnectError(sentence, refusal.code, undefined, [{ desc: ProblemSchema, value }]);
}
