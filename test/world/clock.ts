import type { Clock } from '../../server/core/clock.ts';

/**
 * Time that runs by itself and can be moved on by hand. It runs, so that background loops behave as they do in use; it
 * can be moved, so that no test sleeps to be right.
 */
export class MovedClock implements Clock {
  readonly #waits = new Set<{ readonly due: number; readonly finish: () => void }>();
  #ahead = 0;

  now(): number {
    return Date.now() + this.#ahead;
  }

  wait(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((done) => {
      if (signal?.aborted === true) return done();
      const finish = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', finish);
        this.#waits.delete(wait);
        done();
      };
      const wait = { due: this.now() + ms, finish };
      const timer = setTimeout(finish, ms);
      this.#waits.add(wait);
      signal?.addEventListener('abort', finish);
    });
  }

  /** Moves time on, and ends every wait that is due by then. */
  pass(ms: number): void {
    this.#ahead += ms;
    for (const wait of this.#waits) if (wait.due <= this.now()) wait.finish();
  }

  /** Resolves once somebody waits for at least `ms`: a test that passes time first makes sure that it is waited for. */
  async waitedFor(ms: number): Promise<void> {
    while (![...this.#waits].some((wait) => wait.due - this.now() > ms - 1_000))
      await new Promise((next) => setTimeout(next, 2));
  }
}
