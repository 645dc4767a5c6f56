/** While one batch is written, the next collects: what every floor that flushes once for many does. */
export function batched<T>(
  write: (batch: readonly T[]) => Promise<unknown>,
  writers: number,
): (item: T) => Promise<void> {
  let waiting: { item: T; resolve: () => void; reject: (error: unknown) => void }[] = [];
  let running = 0;
  const go = async (): Promise<void> => {
    if (running >= writers || waiting.length === 0) return;
    running++;
    const batch = waiting.splice(0, 500);
    try {
      await write(batch.map(({ item }) => item));
      for (const { resolve } of batch) resolve();
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
    running--;
    void go();
  };
  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      setImmediate(() => void go());
    });
}

/** Who follows what, in this process. */
export class Followers {
  readonly #followers = new Map<string, Set<(body: string) => void>>();

  add(name: string, follower: (body: string) => void): () => void {
    const set = this.#followers.get(name) ?? new Set();
    this.#followers.set(name, set.add(follower));
    return () => set.delete(follower);
  }

  tell(name: string, body: string): void {
    for (const follower of this.#followers.get(name) ?? []) follower(body);
  }
}
