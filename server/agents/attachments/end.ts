import type { Manager } from '../../core/database.ts';
import type { EndCause, Ended } from '../../core/endings.ts';
import type { Connections } from '../connections.ts';
import { endLive, type WhichLeases } from './store/leases.ts';

/**
 * Ends live leases for good, and their agents' child connections with them. Answers what the notifier must end on every
 * node: the leases first, so that whoever holds both hears of the lease and not of a revoked connection.
 */
export async function endLeases(
  deps: { readonly connections: Connections },
  em: Manager,
  which: WhichLeases,
  cause: EndCause,
): Promise<Ended[]> {
  const leases = await endLive(em, which, cause);
  const agentIds = new Set(leases.map((lease) => lease.agent_id));
  if ('agentId' in which) agentIds.add(which.agentId);
  const children: string[] = [];
  for (const agentId of [...agentIds].toSorted())
    children.push(...(await deps.connections.revokeChildren(em, agentId)));
  return [...leases.map((lease) => lease.id), ...children].map((id) => ({ id, cause }));
}
