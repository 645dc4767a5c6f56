import { Code, ConnectError, createClient, createRouterTransport } from '@connectrpc/connect';
import { expect, test } from 'vitest';
import { Health, HealthCheckResponse_ServingStatus as Status } from '#gen/grpc/health/v1/health_pb.ts';
import type { Clock } from '../core/clock.ts';
import { answer } from './answer.ts';
import { healthRoutes } from './health.ts';
import { recognize } from './recognize.ts';

/** A server whose database comes and goes, and a clock that runs at once. */
function health(states: boolean[]) {
  const readiness = { isReady: () => Promise.resolve(states.length > 1 ? states.shift()! : states[0]!) };
  const clock: Clock = { now: () => 0, wait: () => new Promise((done) => setImmediate(done)) };
  const transport = createRouterTransport(healthRoutes(readiness, clock), {
    router: {
      interceptors: [
        (next) => async (request) => {
          try {
            return await next(request);
          } catch (error) {
            throw answer(recognize(error)!);
          }
        },
      ],
    },
  });
  return createClient(Health, transport);
}

const serving = 'agentworks.messages.v1.MessageService';

test.each(['', serving])('service "%s" stands and falls with the database', async (service) => {
  expect((await health([true]).check({ service })).status).toBe(Status.SERVING);
  expect((await health([false]).check({ service })).status).toBe(Status.NOT_SERVING);
});

test('a service that is not here is not found', async () => {
  const refused: unknown = await health([true])
    .check({ service: 'x' })
    .catch((error: unknown) => error);
  expect(ConnectError.from(refused).code).toBe(Code.NotFound);
});

test('all are listed', async () => {
  const { statuses } = await health([false]).list({});
  expect(Object.keys(statuses)).toContain(serving);
  expect(new Set(Object.values(statuses).map(({ status }) => status))).toEqual(new Set([Status.NOT_SERVING]));
});

test('a watch tells each change once', async () => {
  const seen: Status[] = [];
  for await (const { status } of health([true, true, false, false, true]).watch({ service: serving })) {
    seen.push(status);
    if (seen.length === 3) break;
  }
  expect(seen).toEqual([Status.SERVING, Status.NOT_SERVING, Status.SERVING]);
});

test('a watch of what is not here says so and stays', async () => {
  const watched = health([true]).watch({ service: 'x' })[Symbol.asyncIterator]();
  expect((await watched.next()).value).toMatchObject({ status: Status.SERVICE_UNKNOWN });
  await watched.return?.();
});
