import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import type { Known } from '../access/callers.ts';
import { Problem } from '../core/problem.ts';
import type { AgentRow } from './store.ts';

/** A person manages every name of the account, a program those it registered or is allowed to use (AGT-3). */
export function checkMayManage(caller: Known, agent: AgentRow): void {
  if (caller.kind === 'person') return;
  if (caller.kind === 'connection' && uses(caller.connectionId, agent)) return;
  throw new Problem(
    Reason.NOT_ALLOWED,
    `this connection may not manage ${agent.name}: it neither registered the name nor is allowed to use it. Let a person allow connection ${caller.connectionId}`,
    { subject: 'agent_name' },
  );
}

const uses = (connectionId: string, agent: AgentRow): boolean =>
  agent.connection_id === connectionId || agent.allowed_connection_ids.includes(connectionId);
