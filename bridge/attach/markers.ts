import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const sessionIds = /^[0-9A-Za-z-]{8,64}$/;

/**
 * One file an attached session, so that the hooks of every other chat end after one look, without asking anybody. Its
 * text is the path of the bridge's socket.
 */
export class Markers {
  readonly #folder: string;
  readonly #socket: string;

  constructor(folder: string, socket: string) {
    this.#folder = folder;
    this.#socket = socket;
  }

  set(sessionId: string): void {
    if (sessionIds.test(sessionId)) writeFileSync(join(this.#folder, sessionId), this.#socket, { mode: 0o600 });
  }

  clear(sessionId: string): void {
    if (sessionIds.test(sessionId)) rmSync(join(this.#folder, sessionId), { force: true });
  }

  /** Those that point at this bridge: another config's bridge keeps its own beside them. */
  get mine(): readonly string[] {
    return readdirSync(this.#folder).filter((name) => this.#textOf(name) === this.#socket);
  }

  #textOf(name: string): string | undefined {
    try {
      return readFileSync(join(this.#folder, name), 'utf8');
    } catch {
      // It went while we looked.
      return undefined;
    }
  }
}
