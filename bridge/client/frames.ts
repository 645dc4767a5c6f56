/** Frames on their way up one stream, in the order they were put. */
export class Frames<T> implements AsyncIterable<T> {
  #waiting: T[] = [];
  #hasEnded = false;
  #wake: () => void = () => {};

  put(frame: T): void {
    this.#waiting.push(frame);
    this.#wake();
  }

  /** What was put before still goes. */
  end(): void {
    this.#hasEnded = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for (;;) {
      const frames = this.#waiting;
      this.#waiting = [];
      yield* frames;
      if (this.#waiting.length > 0) continue;
      if (this.#hasEnded) return;
      await new Promise<void>((wake) => (this.#wake = wake));
    }
  }
}
