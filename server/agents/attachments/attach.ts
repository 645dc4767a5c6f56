import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import { audit } from '../../access/audit.ts';
import type { Known } from '../../access/callers.ts';
import { writeCursor } from '../../core/cursor.ts';
import type { Database, Manager } from '../../core/database.ts';
import type { Ended } from '../../core/endings.ts';
import { newId } from '../../core/ids.ts';
import { limits } from '../../core/limits.ts';
import type { Notifier } from '../../core/notifier.ts';
import { Problem } from '../../core/problem.ts';
import type { Connections } from '../connections.ts';
import { enroll } from '../enroll.ts';
import { checkShowable } from '../showable.ts';
import { type AgentRow, changeAgent } from '../store.ts';
import { endLeases } from './end.ts';
import { parted, written } from './written.ts';
import { checkSession } from './session.ts';
import {
  addLease,
  endLive,
  heldBy,
  lastEnd,
  type HeldRow,
  type LeaseRow,
  liveLease,
  lockAttaching,
  type Origin,
  refreshLease,
  type Session,
} from './store/leases.ts';

export interface AttachDeps {
  readonly orm: Database;
  readonly notifier: Notifier;
  readonly connections: Connections;
  readonly epoch: string;
}

export interface AttachInput extends Session {
  readonly agentName: string;
  readonly origin: Origin;
  readonly purpose: string | undefined;
}

export interface Attached {
  readonly lease: LeaseRow;
  /** Empty when the lease was there already. */
  readonly childSecret: string;
  readonly startCursor: string;
  readonly registered: boolean;
}

/**
 * Binds a name to one session, for a person (ATT-1). Whoever held the name before is refused on every node by the time
 * this answers (RCP-3).
 */
export async function attach(deps: AttachDeps, caller: Known, input: AttachInput): Promise<Attached> {
  checkSession(input);
  checkShowable(input.purpose ?? '', 'purpose');
  const { accountId } = caller;
  const { attached, settle } = await deps.orm.em.fork().transactional(async (em) => {
    await lockAttaching(em, accountId);
    const { agent, registered } = await enroll(em, caller, input.agentName);
    await changeAgent(em, agent.id, { provider: input.provider, purpose: input.purpose });
    const live = await heldBy(em, { accountId, agentId: agent.id, ...input });
    const bound = await bind(deps, em, input, { caller, agent, live });
    const lease = (await liveLease(em, accountId, bound.leaseId))!;
    await audit(em, written(caller, lease, bound.wasHeld));
    return {
      attached: { lease, registered, childSecret: bound.secret },
      settle: await deps.notifier.endIn(em, bound.ended),
    };
  });
  await settle();
  deps.notifier.announce([`account:${accountId}`, `mailbox:${attached.lease.agent_id}`]);
  const place = { kind: 'mailbox', owner: attached.lease.agent_id, epoch: deps.epoch } as const;
  return { ...attached, startCursor: writeCursor(place, attached.lease.start_seq) };
}

interface Bound {
  readonly leaseId: string;
  readonly secret: string;
  readonly ended: readonly Ended[];
  /** By this session, or by another one. */
  readonly wasHeld: 'here' | 'elsewhere' | undefined;
}

async function bind(
  deps: AttachDeps,
  em: Manager,
  session: AttachInput,
  found: { caller: Known; agent: AgentRow; live: readonly HeldRow[] },
): Promise<Bound> {
  const { caller, agent, live } = found;
  const held = live.find((lease) => lease.agent_id === agent.id);
  const elsewhere = live.find((lease) => lease.agent_id !== agent.id);
  if (session.origin === 'own') {
    checkOwn(agent, session, held, elsewhere);
    if (held === undefined && (await lastEnd(em, caller.accountId, agent.id)) === 'revoked') throw onlyThePerson(agent);
  }
  if (held !== undefined && isSame(held, session) && held.child_alive && held.connection_id === caller.connectionId) {
    await refreshLease(em, held.id, session);
    return { leaseId: held.id, secret: '', ended: [], wasHeld: 'here' };
  }
  // One session holds one name: under its new one it no longer answers for the old, whose child has nobody left.
  const ended = elsewhere === undefined ? [] : await endLeases(deps, em, { attachmentId: elsewhere.id }, 'detached');
  if (elsewhere !== undefined) await audit(em, parted(caller, elsewhere.agent_name, `its chat is ${agent.name} now`));
  if (held !== undefined) {
    await endLive(em, { attachmentId: held.id }, 'moved');
    ended.push({ id: held.id, cause: 'moved' });
  }
  const { accountId, connectionId } = caller;
  const label = agent.name.slice(0, limits.labelCharacters.max);
  const child = await deps.connections.giveChild(em, { accountId, agentId: agent.id, parentId: connectionId, label });
  // Whoever is still at work with the old secret is not the new holder, even where the connection is the same.
  if (held !== undefined) ended.push({ id: held.child_id, cause: 'moved' });
  const leaseId = newId('att');
  await addLease(em, { ...session, id: leaseId, accountId, connectionId, agentId: agent.id, childId: child.id });
  return { leaseId, secret: child.secret, ended, wasHeld: held && (isSame(held, session) ? 'here' : 'elsewhere') };
}

const isSame = (lease: HeldRow, session: Session): boolean =>
  lease.provider === session.provider && lease.session_id === session.sessionId;

/** What an agent asks for itself takes nothing from another chat, live or offline, and renames nothing (ATT-4, RCP-4). */
function checkOwn(agent: AgentRow, session: Session, held: HeldRow | undefined, elsewhere: HeldRow | undefined): void {
  if (elsewhere !== undefined)
    throw new Problem(
      Reason.NOT_ALLOWED,
      `this session is attached as ${elsewhere.agent_name}; detach it first, or let the person attach it as ${agent.name}`,
      { subject: 'agent_name' },
    );
  if (held === undefined) return;
  if (!isSame(held, session))
    throw new Problem(
      Reason.NAME_HELD,
      `another chat holds ${agent.name}; let the person move it here, or detach it there first`,
      { subject: agent.name },
    );
  if (!held.child_alive) throw onlyThePerson(agent);
}

/** What the person took away, the agent does not take back (ATT-7). */
const onlyThePerson = (agent: AgentRow) =>
  new Problem(
    Reason.NOT_ALLOWED,
    `the connection of ${agent.name} was revoked or expired; only the person attaches it again`,
    { subject: 'agent_name' },
  );
