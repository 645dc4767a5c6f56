import { createHash } from 'node:crypto';

/** One copy of a message, for its one recipient, with the ids it will have if it is stored. */
export interface Copy {
  readonly messageId: string;
  readonly conversationId: string;
  /** The sender's side. */
  readonly fromInboxId: string;
  readonly fromMailboxId: string;
  /** The recipient's side. */
  readonly toInboxId: string;
  readonly toMailboxId: string;
  readonly toAgentId: string | null;
  readonly toAgent: string;
  /** Whether the conversation begins with this message. */
  readonly fresh: boolean;
}

/** A message ready to be stored: decided as far as this node can decide, judged again inside the storing statement. */
export interface Submission {
  readonly accountId: string;
  readonly connectionId: string;
  readonly attachmentId: string | null;
  /** The agent that sends; null when the account itself does. */
  readonly agentId: string | null;
  readonly fromAgent: string;
  /** Whether the caller spoke as the agent by name, which the agent's list must allow (AGT-3). */
  readonly byName: boolean;
  readonly submissionId: string | null;
  readonly digest: string;
  /** Tells this attempt from every other of the same submission id. */
  readonly claimId: string;
  readonly body: string;
  readonly contentType: string;
  readonly metadata: object | null;
  readonly inReplyTo: string | null;
  readonly noWake: boolean;
  readonly copies: readonly Copy[];
}

/** What a stored submission answers, for as long as its messages are kept. */
export interface Answer {
  readonly messageId: string;
  readonly conversationId: string;
  readonly inboxId: string;
  readonly toAgentId: string | null;
  readonly toAgent: string;
}

export const answersOf = (submission: Submission): Answer[] =>
  submission.copies.map((copy) => ({
    messageId: copy.messageId,
    conversationId: copy.conversationId,
    inboxId: copy.fromInboxId,
    toAgentId: copy.toAgentId,
    toAgent: copy.toAgent,
  }));

/** Whose submission ids these are: the agent's, else the account's (MSG-3). It survives every change of credentials. */
export const identityOf = (submission: Pick<Submission, 'agentId' | 'accountId'>): string =>
  submission.agentId ?? submission.accountId;

/** What makes two submissions the same: the folded target as written, and everything the reader would see. */
export function digestOf(said: {
  readonly target: string;
  readonly inboxId: string;
  readonly body: string;
  readonly contentType: string;
  readonly metadata: object | null;
  readonly inReplyTo: string;
  readonly noWake: boolean;
}): string {
  const canonical = [
    said.target.toLowerCase(),
    said.inboxId,
    said.body,
    said.contentType,
    sorted(said.metadata),
    said.inReplyTo,
    said.noWake,
  ];
  return createHash('sha256').update(JSON.stringify(canonical)).digest('base64url');
}

/** The same object whatever the order of its keys. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, inner]) => [key, sorted(inner)]);
}
