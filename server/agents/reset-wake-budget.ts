import type { Known } from '../access/callers.ts';
import type { Database } from '../core/database.ts';
import type { Notifier } from '../core/notifier.ts';
import type { Directory } from './directory.ts';
import { foldName, isName } from './names.ts';
import { lockAgent, resetWakes } from './store.ts';
import { unknownAgent } from './unknown.ts';

/** A person looked, and lets wakes begin anew: for one agent, or for the account (MSG-17). */
export async function resetWakeBudget(
  deps: { readonly orm: Database; readonly notifier: Notifier; readonly agents: Directory },
  caller: Known,
  input: { agentName: string },
): Promise<void> {
  const { accountId } = caller;
  const name = input.agentName;
  const mailboxes = await deps.orm.em.fork().transactional(async (em) => {
    if (name === '') return resetWakes(em, accountId, undefined);
    const agent = isName(name) ? await lockAgent(em, accountId, foldName(name)) : undefined;
    return agent && resetWakes(em, accountId, agent.id);
  });
  if (mailboxes === undefined) throw await unknownAgent(deps.agents, caller, name);
  deps.notifier.announce([`account:${accountId}`, ...mailboxes.map((id) => `mailbox:${id}`)]);
}
