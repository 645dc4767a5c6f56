import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import { mayReach } from '../access/bounds.ts';
import type { Known } from '../access/callers.ts';
import type { Database, Manager } from '../core/database.ts';
import type { Notifier } from '../core/notifier.ts';
import { Problem } from '../core/problem.ts';
import type { Connections } from './connections.ts';
import { enroll } from './enroll.ts';
import { checkMayManage } from './may.ts';
import { foldName } from './names.ts';
import { checkShowable } from './showable.ts';
import { changeAgent, inherit, type SeenRow, seenNamed } from './store.ts';

export interface RegisterDeps {
  readonly orm: Database;
  readonly notifier: Notifier;
  readonly connections: Connections;
}

/** Undefined keeps what is stored; an empty list clears it (AGT-3). */
export interface RegisterInput {
  readonly agentName: string;
  readonly provider: string | undefined;
  readonly purpose: string | undefined;
  readonly allowedConnectionIds: readonly string[] | undefined;
}

export async function register(deps: RegisterDeps, caller: Known, input: RegisterInput): Promise<SeenRow> {
  checkShowable(input.provider ?? '', 'provider');
  checkShowable(input.purpose ?? '', 'purpose');
  checkReach(caller, input.agentName);
  const allowed = input.allowedConnectionIds && [...new Set(input.allowedConnectionIds)];
  const seen = await deps.orm.em.fork().transactional(async (em) => {
    if (allowed !== undefined) await checkAllowed(deps, em, caller.accountId, allowed);
    const { agent, registered } = await enroll(em, caller, input.agentName);
    if (!registered) {
      checkMayManage(caller, agent);
      if (caller.kind === 'person' && !(await isAlive(deps, em, caller.accountId, agent.connection_id)))
        await inherit(em, agent.id, caller.connectionId);
    }
    await changeAgent(em, agent.id, { provider: input.provider, purpose: input.purpose, allowed });
    return (await seenNamed(em, caller.accountId, foldName(input.agentName)))!;
  });
  deps.notifier.announce([`account:${caller.accountId}`]);
  return seen;
}

/** Says nothing of whether the name is there. */
function checkReach(caller: Known, name: string): void {
  if (mayReach(caller, name)) return;
  throw new Problem(
    Reason.NOT_ALLOWED,
    `this connection reaches only ${caller.targets!.join(', ') || 'nobody'}; let its person make one whose targets name this agent too`,
    { subject: 'agent_name' },
  );
}

async function isAlive(deps: RegisterDeps, em: Manager, accountId: string, connectionId: string): Promise<boolean> {
  return (await deps.connections.alive(em, accountId, [connectionId])).has(connectionId);
}

/** A connection of another account is as unknown as one that never was. */
async function checkAllowed(deps: RegisterDeps, em: Manager, accountId: string, ids: readonly string[]): Promise<void> {
  const alive = ids.length === 0 ? new Map<string, string>() : await deps.connections.alive(em, accountId, ids);
  for (const id of ids) {
    const kind = alive.get(id);
    if (kind === undefined)
      throw new Problem(
        Reason.NOT_FOUND,
        `${JSON.stringify(id.slice(0, 40))} is no live connection of this account; \`agentworks connections list\` shows them`,
        { subject: 'allowed_connection_ids' },
      );
    if (kind === 'child')
      throw new Problem(
        Reason.BAD_FIELD,
        `${id} is the connection of an attached agent, which speaks only as itself; allow a login or a program`,
        { subject: 'allowed_connection_ids' },
      );
  }
}
