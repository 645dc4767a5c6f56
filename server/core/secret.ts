import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const PREFIX = 'aw1_';

/** A bearer secret: 256 bits, with a prefix that scanners know and a checksum that catches a cut-off copy. */
export function newSecret(): string {
  const chance = randomBytes(32).toString('base64url');
  return `${PREFIX}${chance}${checksum(chance)}`;
}

/** What is kept of a secret. */
export const hashSecret = (secret: string): string => createHash('sha256').update(secret).digest('hex');

/** Whether this could be one of ours at all: spares the database every guess. */
export function looksLikeSecret(text: string): boolean {
  if (!text.startsWith(PREFIX) || text.length !== PREFIX.length + 43 + 6) return false;
  const chance = text.slice(PREFIX.length, -6);
  return text.endsWith(checksum(chance));
}

/** Whether this could be an access token of an OAuth client: 256 bits without a mark of ours. */
export const looksLikeToken = (text: string): boolean => /^[\w-]{43}$/.test(text);

const checksum = (chance: string): string => crc32(chance).toString(36).padStart(6, '0').slice(-6);
