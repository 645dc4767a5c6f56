import { audit } from '../access/audit.ts';
import { mayReach } from '../access/bounds.ts';
import type { Known } from '../access/callers.ts';
import type { Database } from '../core/database.ts';
import type { Notifier } from '../core/notifier.ts';
import { endLeases } from './attachments/end.ts';
import type { Connections } from './connections.ts';
import type { Directory } from './directory.ts';
import { checkMayManage } from './may.ts';
import { foldName, isName } from './names.ts';
import { lockAgent, removeAgent } from './store.ts';
import { unknownAgent } from './unknown.ts';

export interface UnregisterDeps {
  readonly orm: Database;
  readonly notifier: Notifier;
  readonly connections: Connections;
  readonly agents: Directory;
}

/** The name goes, with its lease and its child; its messages stay, and no later name inherits them (AGT-2). */
export async function unregister(deps: UnregisterDeps, caller: Known, input: { agentName: string }): Promise<void> {
  const { accountId } = caller;
  const removed = await deps.orm.em.fork().transactional(async (em) => {
    const isSeen = isName(input.agentName) && mayReach(caller, input.agentName);
    const agent = isSeen ? await lockAgent(em, accountId, foldName(input.agentName)) : undefined;
    if (agent === undefined) return undefined;
    checkMayManage(caller, agent);
    await removeAgent(em, agent.id);
    await audit(em, {
      accountId,
      kind: 'agent.unregistered',
      connectionId: caller.connectionId,
      subject: agent.name,
      sentence: `the name ${agent.name} was removed`,
    });
    const ended = await endLeases(deps, em, { agentId: agent.id }, 'unregistered');
    const settle = await deps.notifier.endIn(em, [...ended, { id: agent.id, cause: 'unregistered' }]);
    return { id: agent.id, settle };
  });
  deps.agents.forget(accountId, input.agentName);
  if (removed === undefined) throw await unknownAgent(deps.agents, caller, input.agentName);
  await removed.settle();
  deps.notifier.announce([`mailbox:${removed.id}`, `account:${accountId}`]);
}
