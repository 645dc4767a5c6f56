import type { Manager } from '../../core/database.ts';
import { Statement } from '../../core/statement.ts';

/** One side of a conversation, with what the other side is. Both never change. */
export interface Sides {
  readonly inboxId: string;
  readonly conversationId: string;
  readonly mailboxId: string;
  readonly agentId: string | null;
  readonly agentName: string;
  readonly peerInboxId: string;
  readonly peerMailboxId: string;
  readonly peerAgentId: string | null;
  readonly peerAgentName: string;
}

export const SIDES = new Statement<Record<string, string | null>>(
  'messages.sides',
  `select i.id, i.account_id, i.conversation_id, i.mailbox_id, i.agent_id, coalesce(a.name, '') as agent_name,
          p.id as peer_id, p.mailbox_id as peer_mailbox_id, p.agent_id as peer_agent_id, coalesce(b.name, '') as peer_name
     from jsonb_array_elements_text($1::jsonb) as k(id)
     join inbox i on i.id = k.id
     join inbox p on p.id = i.peer_id
     left join agent a on a.id = i.agent_id
     left join agent b on b.id = p.agent_id`,
);

export async function sidesOf(
  em: Manager,
  inboxIds: readonly string[],
): Promise<Map<string, Sides & { accountId: string }>> {
  const rows = await SIDES.run(em, [JSON.stringify(inboxIds)]);
  return new Map(
    rows.map((row) => [
      row['id']!,
      {
        accountId: row['account_id']!,
        inboxId: row['id']!,
        conversationId: row['conversation_id']!,
        mailboxId: row['mailbox_id']!,
        agentId: row['agent_id'] ?? null,
        agentName: row['agent_name']!,
        peerInboxId: row['peer_id']!,
        peerMailboxId: row['peer_mailbox_id']!,
        peerAgentId: row['peer_agent_id'] ?? null,
        peerAgentName: row['peer_name']!,
      },
    ]),
  );
}
