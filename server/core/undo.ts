/** What was opened, so that it can be closed in the reverse order: after a stop, or when a later step fails. */
export class Undo {
  readonly #steps: (() => unknown)[] = [];

  /** Answers what it was given, to be written in one line with the opening. */
  opened<T>(thing: T, close: (thing: T) => unknown): T {
    this.#steps.push(() => close(thing));
    return thing;
  }

  /** One that fails does not keep the others open. */
  async run(): Promise<void> {
    const failures: unknown[] = [];
    for (let step = this.#steps.pop(); step !== undefined; step = this.#steps.pop())
      try {
        await step();
      } catch (error) {
        failures.push(error);
      }
    if (failures.length > 0) throw failures[0];
  }

  /** Runs it only if the work fails. */
  async unless<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      await this.run().catch(() => {}); // The first error says more.
      throw error;
    }
  }
}
