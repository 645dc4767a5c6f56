import type { AuditEvent } from '../../access/audit.ts';
import type { Known } from '../../access/callers.ts';
import type { LeaseRow, Origin } from './store/leases.ts';

const asked: Record<Origin, string> = {
  chat: 'the person asked for it in that chat',
  terminal: 'the person asked for it in a terminal',
  own: 'the agent asked for it for its own chat',
};

/** What is written down of an attach, whatever form it had (ATT-1a). */
export function written(caller: Known, lease: LeaseRow, wasHeld: 'here' | 'elsewhere' | undefined): AuditEvent {
  const { agent_name: name, provider, computer, origin } = lease;
  const where = `a chat of ${provider}${computer && ` on ${computer}`}`;
  const what = {
    here: `${name} was attached again to ${where}`,
    elsewhere: `${name} was moved from another chat to ${where}`,
    nowhere: `${name} was attached to ${where}`,
  }[wasHeld ?? 'nowhere'];
  return {
    ...by(caller),
    kind: wasHeld === 'elsewhere' ? 'attachment.moved' : 'attachment.attached',
    subject: name,
    sentence: `${what}; ${asked[origin]}`,
  };
}

export const parted = (caller: Known, name: string, why: string): AuditEvent => ({
  ...by(caller),
  kind: 'attachment.detached',
  subject: name,
  sentence: `${name} was detached: ${why}`,
});

export const confirmed = (caller: Known, name: string): AuditEvent => ({
  ...by(caller),
  kind: 'attachment.confirmed',
  subject: name,
  sentence: `the person confirmed the attachment of ${name}`,
});

const by = ({ accountId, connectionId }: Known) => ({ accountId, connectionId });
