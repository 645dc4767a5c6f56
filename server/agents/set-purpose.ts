import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import { mayReach } from '../access/bounds.ts';
import type { Known } from '../access/callers.ts';
import type { Database, Manager } from '../core/database.ts';
import { limits } from '../core/limits.ts';
import type { Notifier } from '../core/notifier.ts';
import { Problem } from '../core/problem.ts';
import type { Directory } from './directory.ts';
import { checkMayManage } from './may.ts';
import { foldName, isName } from './names.ts';
import { checkShowable } from './showable.ts';
import { holdsLease, lockAgent, type SeenRow, seenNamed, storePurpose } from './store.ts';
import { unknownAgent } from './unknown.ts';

export interface SetPurposeDeps {
  readonly orm: Database;
  readonly notifier: Notifier;
  readonly agents: Directory;
}

export interface SetPurposeInput {
  readonly agentName: string;
  readonly purpose: string;
  readonly attachmentId: string;
}

/** An attached agent says it of itself, on its exact lease and at most once a minute; the person at any time (AGT-7). */
export async function setPurpose(deps: SetPurposeDeps, caller: Known, input: SetPurposeInput): Promise<SeenRow> {
  checkShowable(input.purpose, 'purpose');
  const name = nameMeant(caller, input.agentName);
  const everySeconds = caller.kind === 'person' ? 0 : limits.purposeSeconds.max;
  const seen = await deps.orm.em.fork().transactional(async (em) => {
    const agent =
      isName(name) && mayReach(caller, name) ? await lockAgent(em, caller.accountId, foldName(name)) : undefined;
    if (agent === undefined) return undefined;
    if (caller.kind === 'child') await checkLease(em, caller, agent.id, input.attachmentId);
    else checkMayManage(caller, agent);
    const outcome = await storePurpose(em, agent.id, input.purpose, everySeconds);
    if (!outcome.stored)
      throw new Problem(
        Reason.TOO_OFTEN,
        `a purpose is set at most once in ${everySeconds} seconds; wait ${outcome.waitSeconds} seconds`,
        { subject: 'purpose', bound: outcome.waitSeconds },
      );
    return seenNamed(em, caller.accountId, foldName(name));
  });
  if (seen === undefined) throw await unknownAgent(deps.agents, caller, name);
  deps.notifier.announce([`account:${caller.accountId}`]);
  return seen;
}

function nameMeant(caller: Known, agentName: string): string {
  if (caller.kind !== 'child') return agentName;
  if (agentName === '' || foldName(agentName) === foldName(caller.agentName)) return caller.agentName;
  throw new Problem(Reason.NOT_ALLOWED, `an attached agent says only its own purpose; this is ${caller.agentName}`, {
    subject: 'agent_name',
  });
}

async function checkLease(
  em: Manager,
  caller: Known & { kind: 'child' },
  agentId: string,
  attachmentId: string,
): Promise<void> {
  const lease = { attachmentId, agentId, childId: caller.connectionId };
  // The name may have been removed and registered anew: then it is another agent's, and not this child's.
  if (agentId === caller.agentId && (await holdsLease(em, lease))) return;
  throw new Problem(
    Reason.LEASE_ENDED,
    'a purpose is set through the live attachment named in attachment_id, and this one is not; attach again',
    { subject: 'attachment_id' },
  );
}
