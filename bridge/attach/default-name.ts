import { createHash } from 'node:crypto';

/** A short name that this exact session, and no other, gets whenever it is attached without one (ATT-3). */
export function defaultName(provider: string, sessionId: string): string {
  const digest = createHash('sha256').update(`${provider}\0${sessionId}`).digest('hex');
  return `${provider.replace(/[^a-z0-9]/gi, '') || 'agent'}-${digest.slice(0, 6)}`;
}
