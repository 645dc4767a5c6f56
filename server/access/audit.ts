import type { Manager } from '../core/database.ts';
import { limits } from '../core/limits.ts';
import { addEvent, dropOldest } from './store/audit.ts';

/** What is written down. Clients are told to expect kinds that they do not know. */
type Kind =
  | 'connection.signed_in'
  | 'connection.created'
  | 'connection.granted'
  | 'connection.updated'
  | 'connection.revoked'
  | 'token.replayed'
  | 'token.reused'
  | 'sign_in_code.created'
  | 'sign_in_code.used'
  | 'agent.registered'
  | 'agent.unregistered'
  | 'attachment.attached'
  | 'attachment.moved'
  | 'attachment.detached'
  | 'attachment.confirmed'
  | 'call.refused';

export interface AuditEvent {
  readonly accountId: string;
  readonly kind: Kind;
  /** Who did it. */
  readonly connectionId: string;
  /** What it was done to: a connection's id, an agent's name, an RPC. */
  readonly subject: string;
  /** For a person. Never a body or a secret. */
  readonly sentence: string;
}

/** How many events come between two looks at what is too much. */
const LOOK_EVERY = 100n;

/** Inside the transaction that does it: what is done is written down, and what is undone is not. */
export async function audit(em: Manager, event: AuditEvent): Promise<void> {
  const id = await addEvent(em, fitting(event));
  if (id % LOOK_EVERY === 0n)
    await dropOldest(em, event.accountId, { areRefusals: false, keep: limits.auditEvents.max });
}

/** Cut to what is kept: it may quote what callers wrote. */
export const fitting = (event: AuditEvent): AuditEvent => ({
  ...event,
  subject: event.subject.slice(0, 200).toWellFormed(),
  sentence: event.sentence
    .slice(0, 500)
    .toWellFormed()
    .replaceAll(/\p{Cc}/gu, '\u{FFFD}'),
});
