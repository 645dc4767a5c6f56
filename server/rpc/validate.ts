import type { Message } from '@bufbuild/protobuf';
import type { Interceptor } from '@connectrpc/connect';
import { check } from '../core/request-fields.ts';

/** The form of every request, and of every frame of a stream, before any verb sees it. */
export const validate: Interceptor = (next) => (request) => {
  if (request.stream) return next({ ...request, message: checked(request.message) });
  check(request.message);
  return next(request);
};

async function* checked<T extends Message>(messages: AsyncIterable<T>): AsyncGenerator<T> {
  for await (const message of messages) {
    check(message);
    yield message;
  }
}
