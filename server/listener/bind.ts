import { chmodSync } from 'node:fs';
import type { Server } from 'node:net';
import { type Address, writeAddress } from '../core/address.ts';
import { StartRefusal } from '../core/start-refusal.ts';

/** Listens on an address, or on a Unix socket that only our own user may use. */
export async function bind(server: Server, where: Address | string): Promise<void> {
  await new Promise<void>((done, failed) => {
    server.once('error', (error: NodeJS.ErrnoException) => failed(refusal(error, where)));
    if (typeof where !== 'string') return void server.listen(where.port, where.host, done);
    // The socket is made inside this call: nobody gets in before its mode is set.
    const mask = process.umask(0o177);
    server.listen(where, done);
    process.umask(mask);
  });
  if (typeof where === 'string') chmodSync(where, 0o600);
  // As when there are too many open files: those that are open go on.
  server.removeAllListeners('error').on('error', () => {});
}

function refusal(error: NodeJS.ErrnoException, where: Address | string): StartRefusal {
  const name = typeof where === 'string' ? where : writeAddress(where);
  const remedy =
    typeof where === 'string' ? 'set AGENTWORKS_DATA to another folder' : 'set AGENTWORKS_ADDRESS to another host:port';
  switch (error.code) {
    case 'EADDRINUSE':
      return new StartRefusal(
        `${name} is in use by another program, perhaps another agentworks server; stop it, or ${remedy}`,
      );
    case 'EACCES':
      return new StartRefusal(`this user may not listen on ${name}; ${remedy}`);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new StartRefusal(`${name} is not an address of this computer; ${remedy}`, 2);
    default:
      return new StartRefusal(`cannot listen on ${name} (${error.code}); ${remedy}`);
  }
}
