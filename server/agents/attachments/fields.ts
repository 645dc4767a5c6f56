import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import { limits } from '../../core/limits.ts';
import { Problem } from '../../core/problem.ts';

export function checkIds(messageIds: readonly string[]): void {
  const bound = limits.idsPerRequest.max;
  if (messageIds.length > bound)
    throw new Problem(
      Reason.LIMIT_EXCEEDED,
      `${messageIds.length} messages are named; the limit is ${bound}. Ask in parts`,
      {
        subject: 'message_ids',
        bound,
      },
    );
}

export function checkRoute(route: string): void {
  const bound = limits.routeCharacters.max;
  if (route.length > bound)
    throw new Problem(Reason.LIMIT_EXCEEDED, `route has ${route.length} characters; the limit is ${bound}`, {
      subject: 'route',
      bound,
    });
  if (!/^[a-z0-9][a-z0-9-]*$/.test(route))
    throw new Problem(Reason.BAD_FIELD, 'route is a word such as `claude-socket` or `stop-hook`', { subject: 'route' });
}
