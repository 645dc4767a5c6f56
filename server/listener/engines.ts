import * as http from 'node:http';
import * as http2 from 'node:http2';
import type * as net from 'node:net';
import type { Config } from '../core/config.ts';
import type { NodeResponse } from './cors.ts';
import type { Keepalive } from './keepalive.ts';
import type { NodeRequest } from './request-rules.ts';
import { sniff } from './sniff.ts';

type Handler = (request: NodeRequest, response: NodeResponse) => void;

const HEADERS_MS = 15_000;
const IDLE_MS = 75_000; // Longer than the minute after which usual proxies let go of an idle connection.

const h2Options = {
  settings: { maxConcurrentStreams: 1024, initialWindowSize: 1024 * 1024 },
  // Many streams of one bridge, each with a page of large bodies on its way.
  maxSessionMemory: 64,
} as const;

/** The HTTP servers behind one port. They are handed connections, and never listen themselves. */
export class Engines {
  readonly #h1: http.Server;
  readonly #h2: http2.Http2Server;
  readonly #secure: http2.Http2SecureServer | undefined;
  readonly #sessions = new Set<http2.ServerHttp2Session>();
  readonly #keepalive: Keepalive;

  constructor(handler: Handler, keepalive: Keepalive, tls?: Config['tls']) {
    this.#keepalive = keepalive;
    this.#h1 = timed(http.createServer(handler));
    this.#h2 = this.#noted(http2.createServer(h2Options, handler));
    if (tls !== undefined) {
      const options = { ...h2Options, ...tls, allowHTTP1: true, handshakeTimeout: 10_000 };
      this.#secure = timed(this.#noted(http2.createSecureServer(options, handler)));
    }
  }

  accept(socket: net.Socket): void {
    if (this.#secure !== undefined) this.#secure.emit('connection', socket);
    else sniff(socket, (protocol) => (protocol === 'h2' ? this.#h2 : this.#h1).emit('connection', socket));
  }

  /** What is being answered goes on; nothing new begins. */
  close(): void {
    this.#h1.close();
    this.#secure?.close();
    for (const session of this.#sessions) session.close();
  }

  /** Connections of HTTP/1.1 that were kept for a next request. */
  closeIdle(): void {
    this.#h1.closeIdleConnections();
    // There since Node 24, and not in its types.
    (this.#secure as Partial<http.Server> | undefined)?.closeIdleConnections?.();
  }

  #noted<S extends http2.Http2Server | http2.Http2SecureServer>(server: S): S {
    server.on('session', (session: http2.ServerHttp2Session) => {
      this.#sessions.add(session);
      this.#keepalive.watch(session);
      session.on('close', () => this.#sessions.delete(session)).on('error', () => {});
    });
    return server;
  }
}

/** A server that never listens does not start the timer that enforces its timeouts, unless it is told that it does. */
function timed<S extends http.Server | http2.Http2SecureServer>(server: S): S {
  Object.assign(server, { headersTimeout: HEADERS_MS, keepAliveTimeout: IDLE_MS });
  server.emit('listening');
  return server;
}
