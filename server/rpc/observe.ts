import { Code, ConnectError, type Interceptor } from '@connectrpc/connect';
import type { Log } from '../core/log.ts';
import { Problem } from '../core/problem.ts';
import { reasonName } from './answer.ts';
import { requestIdKey } from './request-id.ts';

/** One line a call that got as far as its verb: how long it took and how it ended; never what was said. */
export const observe = (log: Log): Interceptor => {
  if (!log.isLevelEnabled('debug')) return (next) => next;
  return (next) => async (request) => {
    const begun = performance.now();
    const done = (outcome: string, messages?: number) =>
      log.debug({
        event: 'rpc.done',
        rpc: `${request.service.typeName}/${request.method.name}`,
        requestId: request.contextValues.get(requestIdKey),
        outcome,
        ms: Math.round((performance.now() - begun) * 10) / 10,
        ...(messages === undefined ? {} : { messages }),
      });
    async function* counted<T>(messages: AsyncIterable<T>): AsyncGenerator<T> {
      let count = 0;
      let outcome = 'LEFT';
      try {
        for await (const message of messages) {
          count++;
          yield message;
        }
        outcome = 'OK';
      } catch (error) {
        outcome = name(error);
        throw error;
      } finally {
        done(outcome, count);
      }
    }
    try {
      const response = await next(request);
      if (response.stream) return { ...response, message: counted(response.message) };
      done('OK');
      return response;
    } catch (error) {
      done(name(error));
      throw error;
    }
  };
};

const name = (error: unknown): string => {
  if (error instanceof Problem) return reasonName(error.reason);
  return error instanceof ConnectError ? Code[error.code] : 'ERROR';
};
