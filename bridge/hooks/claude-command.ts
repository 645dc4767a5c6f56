import { Refusal } from '../client/index.ts';
import { inertLine } from '../delivery/inert.ts';
import type { HostSession } from '../sessions/session.ts';
import type { ClaudeHookDeps } from './claude.ts';
import { type ClaudeEvent, holdOf } from './claude-event.ts';

const OURS = 'agentworks:agentworks';

const USAGE = 'Type /agentworks attach [NAME], /agentworks detach, or /agentworks status.';

/**
 * The person typed our command: only their own typing raises this event, so only here is anything attached (ATT-2). It is
 * answered and kept from the model, whatever becomes of it.
 */
export async function answerCommand(
  deps: ClaudeHookDeps,
  event: ClaudeEvent,
  session: () => HostSession,
): Promise<string> {
  // A project may have a command of its own by this name.
  if (event.commandName !== OURS || event.commandSource !== 'plugin') return '';
  return block(await perform(deps, event, session));
}

/** What the person reads instead of the command. */
const block = (reason: string): string =>
  JSON.stringify({
    decision: 'block',
    reason,
    hookSpecificOutput: { hookEventName: 'UserPromptExpansion', suppressOriginalPrompt: true },
  });

async function perform(deps: ClaudeHookDeps, event: ClaudeEvent, session: () => HostSession): Promise<string> {
  const [verb = '', agentName = '', ...rest] = event.commandArguments.trim().split(/\s+/);
  try {
    if (verb === 'attach' && rest.length === 0) return await attach(deps, event, session(), agentName);
    if (verb === 'detach' && agentName === '') return await detach(deps, session());
    if (verb === 'status' && agentName === '') return status(deps, session());
    return USAGE;
  } catch (error) {
    if (error instanceof Refusal) return `AgentWorks: ${inertLine(error.sentence)}`;
    deps.log('hook.fault', { event: event.name, error });
    return 'AgentWorks: the bridge had a fault; its log says which: agentworks bridge logs';
  }
}

async function attach(deps: ClaudeHookDeps, event: ClaudeEvent, session: HostSession, agentName: string) {
  const hold = holdOf(event);
  const { lease, notices } = await deps.attachments.attach({ session, agentName, origin: 'chat', hold });
  return [`Attached as ${lease.agentName}.`, ...notices].join('\n');
}

async function detach(deps: ClaudeHookDeps, session: HostSession): Promise<string> {
  const lease = deps.attachments.of(session);
  if (lease === undefined) return 'This chat is not attached.';
  const told = await deps.attachments.detach(lease);
  const rest =
    told === 'told'
      ? 'shows as not attached'
      : 'delivers nothing here; the server is away, and hears of it when it is back';
  return `Detached. ${lease.agentName} keeps its messages and ${rest}.`;
}

function status({ attachments, delivery }: ClaudeHookDeps, session: HostSession): string {
  const lease = attachments.of(session);
  if (lease === undefined) return `This chat is not attached. ${USAGE}`;
  const { route, wakes, routeDetail } = delivery.reachOf(session, lease.attachmentId);
  const how = wakes ? 'a message wakes it' : 'messages wait for the end of its next turn';
  return `Attached as ${lease.agentName} by ${route}: ${how}${routeDetail === '' ? '' : ` (${routeDetail})`}.`;
}
