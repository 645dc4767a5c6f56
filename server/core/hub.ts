/** Wakes whoever waits for a topic on this node. A wake is a hint to look again, never the truth itself. */
export class Hub {
  readonly #waiters = new Map<string, Set<Waiter>>();

  /** Registered before the first read, so that what commits in between is not missed. */
  subscribe(...topics: readonly string[]): Waiter {
    const waiter = new Waiter(() => {
      for (const topic of topics) {
        const set = this.#waiters.get(topic);
        set?.delete(waiter);
        if (set?.size === 0) this.#waiters.delete(topic);
      }
    });
    for (const topic of topics) {
      const set = this.#waiters.get(topic) ?? new Set();
      this.#waiters.set(topic, set.add(waiter));
    }
    return waiter;
  }

  wake(topic: string): void {
    for (const waiter of this.#waiters.get(topic) ?? []) waiter.wake();
  }

  /** What is waited for on this node. */
  topics(prefix: string): string[] {
    return [...this.#waiters.keys()].filter((topic) => topic.startsWith(prefix));
  }

  /** After LISTEN was lost, nobody knows what was missed: everyone looks again. */
  wakeAll(): void {
    for (const set of this.#waiters.values()) for (const waiter of set) waiter.wake();
  }
}

export class Waiter implements Disposable {
  /** Called at each wake, by whoever waits for many things at once. */
  onWake: (() => void) | undefined;
  readonly #leave: () => void;
  #woken = false;
  #resolve: (() => void) | undefined;

  constructor(leave: () => void) {
    this.#leave = leave;
  }

  wake(): void {
    this.#woken = true;
    this.#resolve?.();
    this.onWake?.();
  }

  /** Resolves at the next wake, at once if one came since the last call, or when the signal aborts. */
  async next(signal: AbortSignal): Promise<void> {
    if (!this.#woken && !signal.aborted)
      await new Promise<void>((done) => {
        const finish = () => {
          signal.removeEventListener('abort', finish);
          this.#resolve = undefined;
          done();
        };
        this.#resolve = finish;
        signal.addEventListener('abort', finish);
      });
    this.#woken = false;
  }

  [Symbol.dispose](): void {
    this.#leave();
    this.#resolve?.();
  }
}
