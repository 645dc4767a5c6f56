/**
 * Many questions at once become one query: what is asked while a query runs goes into the next. Nothing is remembered, so
 * an answer is never older than its question.
 */
export class Loader<Key, Value> {
  readonly #ask: (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Value>>;
  readonly #most: number;
  #waiting: { key: Key; resolve: (value: Value | undefined) => void; reject: (error: unknown) => void }[] = [];
  #running = false;

  constructor(ask: (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Value>>, most = 500) {
    this.#ask = ask;
    this.#most = most;
  }

  load(key: Key): Promise<Value | undefined> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ key, resolve, reject });
      if (!this.#running) void this.#run();
    });
  }

  async #run(): Promise<void> {
    this.#running = true;
    // One turn of the event loop, so that requests which came in together share the first query too.
    await new Promise((next) => setImmediate(next));
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, this.#most);
      try {
        const answers = await this.#ask([...new Set(batch.map((asked) => asked.key))]);
        for (const { key, resolve } of batch) resolve(answers.get(key));
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#running = false;
  }
}
