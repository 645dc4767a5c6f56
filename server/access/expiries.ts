import type { Clock } from '../core/clock.ts';
import type { Endings } from '../core/endings.ts';

/** Timers hold 24 days at most; a longer time is waited for in parts. */
const LONGEST_WAIT_MS = 24 * 3600 * 1000;

/** Ends the use of a connection when its time is up: the next question is refused by the row, a stream asks none. */
export class Expiries {
  readonly #deps: { readonly endings: Endings; readonly clock: Clock };
  readonly #closing = new AbortController();
  readonly #watched = new Set<string>();

  constructor(deps: { readonly endings: Endings; readonly clock: Clock }) {
    this.#deps = deps;
  }

  watch(connectionId: string, secondsLeft: number): void {
    if (this.#watched.has(connectionId)) return;
    this.#watched.add(connectionId);
    void this.#end(connectionId, secondsLeft * 1000);
  }

  close(): void {
    this.#closing.abort();
  }

  async #end(id: string, left: number): Promise<void> {
    const { clock, endings } = this.#deps;
    const { signal } = this.#closing;
    for (const due = clock.now() + left; clock.now() < due && !signal.aborted;)
      await clock.wait(Math.min(due - clock.now(), LONGEST_WAIT_MS), signal);
    this.#watched.delete(id);
    if (!signal.aborted) endings.end({ id, cause: 'expired' });
  }
}
