import type { ServerHttp2Session } from 'node:http2';

/** A link that is cut without a word is noticed after two of these at most (under 20 s), and an idle one is kept open. */
const PING_MS = 8_000;

/** Pings every HTTP/2 session, and ends those from which nothing has come since the ping before. */
export class Keepalive {
  readonly #sessions = new Map<ServerHttp2Session, { bytes: number; isWaiting: boolean }>();
  readonly #timer: NodeJS.Timeout;

  constructor(pingMs = PING_MS) {
    this.#timer = setInterval(() => this.#beat(), pingMs);
    this.#timer.unref();
  }

  watch(session: ServerHttp2Session): void {
    this.#sessions.set(session, { bytes: 0, isWaiting: false });
    session.once('close', () => this.#sessions.delete(session));
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #beat(): void {
    for (const [session, state] of this.#sessions) {
      if (session.destroyed) continue;
      // A large upload is a sign of life too, and may hold back the answer to a ping.
      const bytes = session.socket.bytesRead;
      if (state.isWaiting && bytes === state.bytes) {
        session.destroy();
        continue;
      }
      state.bytes = bytes;
      state.isWaiting = true;
      if (!session.closed) session.ping((error) => (state.isWaiting = error !== null));
    }
  }
}
