import * as net from 'node:net';
import { writeAddress } from '../core/address.ts';
import type { Config } from '../core/config.ts';
import { bind } from './bind.ts';
import { Engines } from './engines.ts';
import type { Handler } from './handler.ts';
import { Keepalive } from './keepalive.ts';

/** Everything that clients connect to. What they ask before `serve` is called waits for it. */
export interface Listener {
  readonly port: number;
  readonly url: string;
  serve(handler: Handler): void;
  /** A Unix socket, in a folder that only our own user may enter. */
  listenAt(path: string): Promise<void>;
  /** Takes no more connections, lets what is being answered finish, and after `graceMs` cuts what is left. */
  close(graceMs: number): Promise<void>;
}

export async function listen(config: Pick<Config, 'address' | 'tls'>): Promise<Listener> {
  const keepalive = new Keepalive();
  const open = new Set<net.Socket>();
  const doors: { readonly server: net.Server; readonly engines: Engines }[] = [];
  const waiting: (() => void)[] = [];
  let handler: Handler | undefined;
  const handle: Handler = (...call) => {
    if (handler === undefined) waiting.push(() => handle(...call));
    else handler(...call);
  };

  const newDoor = (engines: Engines): net.Server => {
    const options = { noDelay: true, allowHalfOpen: true, keepAlive: true, keepAliveInitialDelay: 8_000 };
    const server = net.createServer(options, (socket) => {
      open.add(socket);
      socket.on('close', () => open.delete(socket)).on('error', () => {});
      engines.accept(socket);
    });
    doors.push({ server, engines });
    return server;
  };

  const server = newDoor(new Engines((...call) => handle(...call, false), keepalive, config.tls));
  await bind(server, config.address);
  const { port } = server.address() as net.AddressInfo;
  return {
    port,
    url: `${config.tls === undefined ? 'http' : 'https'}://${writeAddress({ host: config.address.host, port })}`,
    serve(given) {
      handler = given;
      for (const go of waiting.splice(0)) go();
    },
    listenAt: (path) => bind(newDoor(new Engines((...call) => handle(...call, true), keepalive)), path),
    async close(graceMs) {
      const closed = doors.map((door) => new Promise((done) => door.server.close(done)));
      for (const { engines } of doors) engines.close();
      // Who has said nothing yet is not being answered.
      for (const socket of open) if (socket.bytesRead === 0) socket.destroy();
      const look = setInterval(() => {
        for (const { engines } of doors) engines.closeIdle();
      }, 50);
      const cut = setTimeout(() => {
        for (const socket of open) socket.destroy();
      }, graceMs);
      await Promise.all(closed);
      clearInterval(look);
      clearTimeout(cut);
      keepalive.close();
    },
  };
}
