import { createPrivateKey, hkdfSync, type JsonWebKey, randomBytes } from 'node:crypto';
import type { Database } from './database.ts';

/** What all nodes of one database share and nobody else knows: keys of cookies, of state that travels, of what is sealed. */
export interface ServerKey {
  /** 32 bytes for one purpose; the key of one purpose says nothing of another's. */
  derive(purpose: string): Buffer;
}

/** Made once, by whichever of two starts comes first (docs/decisions/sign-in.md). */
export async function readServerKey(orm: Database): Promise<ServerKey> {
  const em = orm.em.fork();
  await em.execute('insert into server_key (id, value) values (1, ?) on conflict (id) do nothing', [
    randomBytes(32).toString('base64url'),
  ]);
  const rows: { value: string }[] = await em.execute('select value from server_key where id = 1');
  const root = Buffer.from(rows[0]!.value, 'base64url');
  return { derive: (purpose) => Buffer.from(hkdfSync('sha256', root, '', `agentworks ${purpose}`, 32)) };
}

/** What stands before the 32 bytes of an Ed25519 key in PKCS #8. */
const ED25519_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

export const signingKey = (key: ServerKey, purpose: string): JsonWebKey =>
  createPrivateKey({
    key: Buffer.concat([ED25519_PREFIX, key.derive(purpose)]),
    format: 'der',
    type: 'pkcs8',
  }).export({ format: 'jwk' });
