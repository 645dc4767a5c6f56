import type { ConnectRouter } from '@connectrpc/connect';
import { BridgeService } from '#gen/agentworks/bridge/v1/bridge_pb.ts';
import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import { endSignal, known } from '../access/known.ts';
import { Problem } from '../core/problem.ts';
import type { LinkDeps } from './deps.ts';
import { link } from './link.ts';

export const bridgeRoutes = (deps: LinkDeps) => (router: ConnectRouter) =>
  router.service(BridgeService, {
    async *link(frames, context) {
      const caller = known(context);
      if (caller.kind === 'child')
        throw new Problem(Reason.NOT_ALLOWED, 'a child works through the link of its bridge', { subject: 'Link' });
      yield* link(deps, caller, frames, endSignal(context));
    },
  });
