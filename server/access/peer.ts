import { createContextKey } from '@connectrpc/connect';

/** From where a request came: the server's own Unix socket, this computer, or anywhere else. */
export type Peer = 'socket' | 'loopback' | 'elsewhere';

/** Set by the listener for each request; what it does not know came from elsewhere. */
export const peerKey = createContextKey<Peer>('elsewhere', { description: 'peer' });

/**
 * `isSocket` is said by the listener that accepted the connection. A missing address does not mean a Unix socket: a TCP
 * connection that has just closed has none either.
 */
export function peerOf(connection: { readonly isSocket: boolean; readonly remoteAddress: string | undefined }): Peer {
  if (connection.isSocket) return 'socket';
  const address = connection.remoteAddress?.replace(/^::ffff:/i, '') ?? '';
  return address === '::1' || /^127\.\d+\.\d+\.\d+$/.test(address) ? 'loopback' : 'elsewhere';
}
