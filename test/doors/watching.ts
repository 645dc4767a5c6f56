import type { Refusal } from './door.ts';
import { Refused } from './door.ts';

/** An open stream, as a scene holds it. `await using` closes it; a world refuses to close while one is open. */
export class Watching<T> implements AsyncDisposable {
  readonly #items: AsyncIterator<T>;
  readonly #stop: () => void;
  readonly #finished: () => void;
  #done = false;

  constructor(items: AsyncIterable<T>, stop: () => void, finished: () => void = () => {}) {
    this.#items = items[Symbol.asyncIterator]();
    this.#stop = stop;
    this.#finished = finished;
  }

  /** The next response; a refusal that ends the stream is thrown. */
  async next(): Promise<T> {
    const next = await this.#ending(this.#items.next());
    if (next.done !== true) return next.value;
    this.#end();
    throw new Error('the stream ended without a reason');
  }

  /** Reads on until `count` things have come, and answers all that came. */
  async some<X>(count: number, of: (item: T) => readonly X[]): Promise<X[]> {
    const seen: X[] = [];
    while (seen.length < count) seen.push(...of(await this.next()));
    return seen;
  }

  /** Reads on until the server ends the stream, and answers why, with what still came before that. */
  async ended(): Promise<{ readonly refusal: Refusal; readonly last: readonly T[] }> {
    const last: T[] = [];
    try {
      for (;;) last.push(await this.next());
    } catch (error) {
      if (error instanceof Refused) return { refusal: error.refusal, last };
      throw error;
    }
  }

  async #ending<R>(step: Promise<R>): Promise<R> {
    try {
      return await step;
    } catch (error) {
      this.#end();
      throw error;
    }
  }

  #end(): void {
    if (this.#done) return;
    this.#done = true;
    this.#finished();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#done) return;
    this.#stop();
    await this.#items.return?.().catch(() => {});
    this.#end();
  }
}
