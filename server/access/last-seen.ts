import type { Clock } from '../core/clock.ts';
import type { Database } from '../core/database.ts';
import type { Log } from '../core/log.ts';
import { noteSeen } from './store/connections.ts';

const COLLECT_MS = 1_000;

/** Writes when connections were last seen, many at once and outside every transaction that somebody waits for. */
export class LastSeen {
  readonly #deps: { readonly orm: Database; readonly clock: Clock; readonly log: Log };
  readonly #closing = new AbortController();
  #noted = new Set<string>();
  #writing: Promise<void> | undefined;

  constructor(deps: { readonly orm: Database; readonly clock: Clock; readonly log: Log }) {
    this.#deps = deps;
  }

  note(connectionId: string): void {
    this.#noted.add(connectionId);
    this.#writing ??= this.#write();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#writing;
  }

  async #write(): Promise<void> {
    await this.#deps.clock.wait(COLLECT_MS, this.#closing.signal);
    const ids = [...this.#noted];
    this.#noted = new Set();
    try {
      await noteSeen(this.#deps.orm.em.fork(), ids);
    } catch (error) {
      this.#deps.log.warn({ event: 'connection.seen_failed', err: error });
    }
    this.#writing = undefined;
    if (this.#noted.size > 0 && !this.#closing.signal.aborted) this.#writing = this.#write();
  }
}
