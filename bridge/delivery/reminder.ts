import type { Tools } from './guidance.ts';

const MOST_IDS = 20;

/** Says once, without a body, what was offered and never acknowledged: a host that drops a push loses nothing (RCP-6). */
export function reminder(messageIds: readonly string[], { prefix }: Tools): string {
  const shown = messageIds.slice(0, MOST_IDS);
  const more = messageIds.length > shown.length ? ` and ${messageIds.length - shown.length} more` : '';
  const count = messageIds.length === 1 ? 'A message was' : `${messageIds.length} messages were`;
  return `[AgentWorks reminder] ${count} sent to this chat and not acknowledged: ${shown.join(', ')}${more}. If you have not seen them, read them with ${prefix}agent_message_read; if you have, acknowledge them with ${prefix}agent_message_ack. You are not reminded again.`;
}
