import type { ConnectRouter } from '@connectrpc/connect';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { AgentService } from '#gen/agentworks/agents/v1/agents_pb.ts';
import type { Known } from '../access/callers.ts';
import { endSignal, known } from '../access/known.ts';
import { readTime } from '../core/database.ts';
import { get } from './get.ts';
import { list } from './list.ts';
import { presenceOf } from './reach.ts';
import { register, type RegisterDeps } from './register.ts';
import { resetWakeBudget } from './reset-wake-budget.ts';
import { setPurpose, type SetPurposeDeps } from './set-purpose.ts';
import type { SeenRow } from './store.ts';
import { unregister, type UnregisterDeps } from './unregister.ts';
import { watchDirectory } from './watch-directory.ts';

export type AgentDeps = RegisterDeps &
  UnregisterDeps &
  SetPurposeDeps &
  Parameters<typeof list>[0] &
  Parameters<typeof watchDirectory>[0];

export const agentRoutes = (deps: AgentDeps) => (router: ConnectRouter) =>
  router.service(AgentService, {
    async register(request, context) {
      const caller = known(context);
      const { agentName, provider, purpose } = request;
      const allowedConnectionIds = request.allowedConnectionIds?.values;
      return {
        agent: shown(caller, await register(deps, caller, { agentName, provider, purpose, allowedConnectionIds })),
      };
    },
    async unregister(request, context) {
      await unregister(deps, known(context), request);
      return {};
    },
    async get(request, context) {
      const caller = known(context);
      return { agent: shown(caller, await get(deps, caller, request)) };
    },
    async list(request, context) {
      const caller = known(context);
      const { agents, nextCursor } = await list(deps, caller, request);
      return { agents: agents.map((agent) => shown(caller, agent)), nextCursor };
    },
    async setPurpose(request, context) {
      const caller = known(context);
      return { agent: shown(caller, await setPurpose(deps, caller, request)) };
    },
    async *watchDirectory(_request, context) {
      const caller = known(context);
      for await (const { agents, removedAgentIds } of watchDirectory(deps, caller, endSignal(context)))
        yield { agents: agents.map((agent) => shown(caller, agent)), removedAgentIds: [...removedAgentIds] };
    },
    async resetWakeBudget(request, context) {
      await resetWakeBudget(deps, known(context), request);
      return {};
    },
  });

const shown = (caller: Known, row: SeenRow) => ({
  agentId: row.id,
  name: row.name,
  provider: row.provider,
  purpose: row.purpose,
  presence: presenceOf(row),
  route: row.route,
  ...(row.last_seen_time === null ? {} : { lastSeenTime: timestampFromDate(readTime(row.last_seen_time)) }),
  createTime: timestampFromDate(readTime(row.create_time)),
  // A child needs to know whom it can write to, and nothing of who may use the names (ATT-7).
  allowedConnectionIds: caller.kind === 'child' ? [] : row.allowed_connection_ids,
  wakeRefusal: caller.kind === 'child' || !row.wake_refused ? '' : (row.wake_refusal ?? FAR_FROM_A_PERSON),
});

/** Known from the moment a message is stored; the guard has its own words once it was asked. */
const FAR_FROM_A_PERSON = 'a waiting message is too many hops from a turn of the person';
