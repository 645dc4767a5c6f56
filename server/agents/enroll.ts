import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import { audit } from '../access/audit.ts';
import type { Manager } from '../core/database.ts';
import { newId } from '../core/ids.ts';
import { limits } from '../core/limits.ts';
import { Problem } from '../core/problem.ts';
import { checkName, foldName } from './names.ts';
import { addAgent, type AgentRow, countAgentsLocked, lockAgent } from './store.ts';

export interface Enrolled {
  readonly agent: AgentRow;
  /** Whether the name is new. */
  readonly registered: boolean;
}

/** The name as it is, locked; or a new one, counted under a lock so that parallel registers cannot pass the limits (AGT-2). */
export async function enroll(
  em: Manager,
  owner: { readonly accountId: string; readonly connectionId: string },
  name: string,
): Promise<Enrolled> {
  checkName(name);
  const { accountId, connectionId } = owner;
  const nameKey = foldName(name);
  const existing = await lockAgent(em, accountId, nameKey);
  if (existing !== undefined) return { agent: existing, registered: false };
  const count = await countAgentsLocked(em, accountId);
  // Somebody else may have registered it while this one waited for the lock.
  const meanwhile = await lockAgent(em, accountId, nameKey);
  if (meanwhile !== undefined) return { agent: meanwhile, registered: false };
  checkRoom('account', count.account, limits.agentsPerAccount.max);
  checkRoom('server', count.server, limits.agentsPerServer.max);
  const agent = { id: newId('agt'), accountId, name, nameKey, connectionId };
  await addAgent(em, agent);
  await audit(em, {
    accountId,
    kind: 'agent.registered',
    connectionId,
    subject: name,
    sentence: `the name ${name} was registered`,
  });
  return { agent: { id: agent.id, name, connection_id: connectionId, allowed_connection_ids: [] }, registered: true };
}

function checkRoom(where: string, count: number, bound: number): void {
  if (count >= bound)
    throw new Problem(
      Reason.LIMIT_EXCEEDED,
      `the ${where} has ${count} agents; the limit is ${bound}. Unregister one that is no longer used`,
      { subject: 'agent_name', bound },
    );
}
