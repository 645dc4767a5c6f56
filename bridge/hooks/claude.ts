import { EvidenceKind } from '#gen/agentworks/bridge/v1/bridge_pb.ts';
import type { Attachments } from '../attach/attachments.ts';
import { Refusal } from '../client/index.ts';
import type { Delivery } from '../delivery/delivery.ts';
import { offeredIn } from '../delivery/envelope.ts';
import type { SavedLease } from '../journal/journal.ts';
import type { BridgeLink } from '../link/bridge-link.ts';
import type { Log } from '../log.ts';
import { atPrompt, atStop } from '../routes/stop-hook.ts';
import { CLAUDE_SOCKET } from '../routes/claude-socket.ts';
import type { HostSession, Sessions } from '../sessions/session.ts';
import { answerCommand } from './claude-command.ts';
import { type ClaudeEvent, holdOf, readEvent } from './claude-event.ts';

export interface ClaudeHookDeps {
  readonly attachments: Attachments;
  readonly delivery: Delivery;
  readonly link: Pick<BridgeLink, 'evidence'>;
  readonly sessions: Pick<Sessions, 'resolve' | 'discover'>;
  readonly log: Log;
}

/** One hook of Claude Code, as it asked. */
export interface Asked {
  readonly hostPid: number | undefined;
  /** Its standard input, as it was. */
  readonly body: string;
}

/** What the hook prints: nothing, for a session that is not attached and for whatever is not ours to say (RTE-8). */
export async function askClaude(deps: ClaudeHookDeps, asked: Asked): Promise<string> {
  const event = readEvent(asked.body);
  // Another host that runs this host's hooks has sessions of its own; a subagent's turn is not the chat's.
  if (event === undefined || event.isForeign || event.isSubagent) return '';
  if (event.name === 'UserPromptExpansion') return answerCommand(deps, event, () => sessionOf(deps, event, asked));
  if (event.name === 'SessionStart')
    return started(
      deps,
      quietly(() => sessionOf(deps, event, asked)),
    );
  const session = quietly(() => sessionOf(deps, event, asked));
  const lease = session === undefined ? undefined : deps.attachments.of(session);
  if (lease === undefined) return '';
  if (event.name === 'SessionEnd') {
    deps.attachments.rest(lease);
    return '';
  }
  if (event.permissionMode !== '') deps.delivery.hold(lease.attachmentId, holdOf(event));
  const output = await answer(deps, event, lease);
  // What this turn did not take may go by a way in that failed before: the host shows that it lives.
  deps.delivery.revive(lease.attachmentId);
  return output;
}

async function answer(deps: ClaudeHookDeps, event: ClaudeEvent, lease: SavedLease): Promise<string> {
  if (event.name === 'UserPromptSubmit') return prompted(deps, event, lease);
  return event.name === 'Stop' && !event.isStopHookActive ? stopped(deps, lease) : '';
}

/** The exact session: the hook's own host process when it could tell it, else the one that has exactly this id. */
function sessionOf({ sessions }: ClaudeHookDeps, { sessionId }: ClaudeEvent, { hostPid }: Asked): HostSession {
  if (hostPid !== undefined) return sessions.resolve({ provider: 'claude', pid: BigInt(hostPid), sessionId });
  const [only, ...others] = sessions
    .discover()
    .filter((one) => one.provider === 'claude' && one.sessionId === sessionId);
  if (only !== undefined && others.length === 0) return only;
  throw new Refusal('NOT_ALLOWED', 'The process of this chat could not be found, so it cannot be attached.', {
    subject: 'host_pid',
  });
}

function quietly<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

/** Texts that no person typed reach the same event, without a word of where they come from. */
const isTyped = (prompt: string): boolean =>
  !/^\[AgentWorks |<(cross-session-message|task-notification|channel|teammate-message|system-reminder)\b/m.test(prompt);

async function prompted(deps: ClaudeHookDeps, { prompt }: ClaudeEvent, { attachmentId }: SavedLease): Promise<string> {
  const offered = offeredIn(prompt);
  if (offered.messageIds.length > 0) {
    // A push that a lease of before is still to be thanked for: its right has ended, and so the text goes no further.
    if (offered.attachmentId !== attachmentId)
      return JSON.stringify({
        decision: 'block',
        reason: 'AgentWorks: this message was sent to an attachment that has ended.',
      });
    deps.delivery.entered(attachmentId, offered.messageIds, CLAUDE_SOCKET);
    return '';
  }
  if (!isTyped(prompt)) return '';
  deps.link.evidence(attachmentId, { kind: EvidenceKind.PERSON_TURN });
  const text = await deps.delivery.atPrompt(attachmentId);
  return text === '' ? '' : atPrompt(text);
}

async function stopped({ delivery }: ClaudeHookDeps, { attachmentId }: SavedLease): Promise<string> {
  const text = await delivery.atBoundary(attachmentId);
  return text === '' ? '' : atStop(text);
}

/** A chat that was attached before, in another process or under another id, is not attached by inheritance. */
function started({ attachments }: ClaudeHookDeps, session: HostSession | undefined): string {
  if (session === undefined || attachments.of(session) !== undefined) return '';
  const before = attachments.before(session);
  if (before === undefined) return '';
  attachments.quiet(session.sessionId);
  return JSON.stringify({
    systemMessage: `This chat was attached as ${before.agentName} and is offline now. To attach it again, type: /agentworks attach ${before.agentName}`,
  });
}
