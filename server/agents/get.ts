import { mayReach } from '../access/bounds.ts';
import type { Known } from '../access/callers.ts';
import type { Database } from '../core/database.ts';
import type { Directory } from './directory.ts';
import { foldName, isName } from './names.ts';
import { type SeenRow, seenNamed } from './store.ts';
import { unknownAgent } from './unknown.ts';

export async function get(
  deps: { readonly orm: Database; readonly agents: Directory },
  caller: Known,
  input: { agentName: string },
): Promise<SeenRow> {
  const seen =
    isName(input.agentName) && mayReach(caller, input.agentName)
      ? await seenNamed(deps.orm.em.fork(), caller.accountId, foldName(input.agentName))
      : undefined;
  if (seen === undefined) throw await unknownAgent(deps.agents, caller, input.agentName);
  return seen;
}
