import type { ConnectRouter } from '@connectrpc/connect';
import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import { Health, HealthCheckResponse_ServingStatus as Status } from '#gen/grpc/health/v1/health_pb.ts';
import type { Clock } from '../core/clock.ts';
import { Problem } from '../core/problem.ts';
import type { Readiness } from '../core/readiness.ts';
import { services } from './services.ts';

const WATCH_MS = 1_000;
const names = ['', ...services.map((service) => service.typeName)];

/** The standard health protocol. Every service stands and falls with the database, so they all have one state. */
export const healthRoutes = (readiness: Readiness, clock: Clock) => (router: ConnectRouter) => {
  router.service(Health, {
    async check({ service }) {
      if (!names.includes(service))
        throw new Problem(Reason.NOT_FOUND, 'there is no such service; List names those there are', {
          subject: 'service',
        });
      return { status: await statusOf(readiness) };
    },
    async list() {
      const now = await statusOf(readiness);
      return { statuses: Object.fromEntries(names.map((name) => [name, { status: now }])) };
    },
    async *watch({ service }, { signal }) {
      let last: Status | undefined;
      while (!signal.aborted) {
        // The protocol keeps the stream of an unknown service open: it may come to be.
        const now = names.includes(service) ? await statusOf(readiness) : Status.SERVICE_UNKNOWN;
        if (now !== last) yield { status: now };
        last = now;
        await clock.wait(WATCH_MS, signal);
      }
    },
  });
};

const statusOf = async (readiness: Readiness) => ((await readiness.isReady()) ? Status.SERVING : Status.NOT_SERVING);
