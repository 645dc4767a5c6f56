import type { Io } from './context.ts';

/** Whether there is a person who can be asked. A program is never waited for. */
export const canAsk = ({ isTerminal, stdin }: Io): boolean =>
  isTerminal === true && (stdin as { readonly isTTY?: boolean } | undefined)?.isTTY === true;

/** What the person answers, a line each. Several questions read one input, which is let go at the end. */
export class Answers implements Disposable {
  readonly #io: Io;
  readonly #chunks: AsyncIterator<Uint8Array | string>;
  #rest = '';

  constructor(io: Io) {
    this.#io = io;
    this.#chunks = io.stdin![Symbol.asyncIterator]();
  }

  /** The answer; undefined at the end of input. Ctrl-C ends it as it ends everything. */
  async ask(question: string): Promise<string | undefined> {
    // A screen that was open before has let go of the keyboard.
    (this.#io.stdin as { ref?: () => void }).ref?.();
    this.#io.err(`${question} `);
    while (!this.#rest.includes('\n')) {
      const chunk = await this.#next();
      if (chunk === undefined) return undefined;
      this.#rest += chunk;
    }
    const end = this.#rest.indexOf('\n');
    const line = this.#rest.slice(0, end);
    this.#rest = this.#rest.slice(end + 1);
    return line.trim();
  }

  async #next(): Promise<string | undefined> {
    const { signal } = this.#io;
    signal.throwIfAborted();
    const { promise: aborted, reject } = Promise.withResolvers<never>();
    const stop = () => reject(signal.reason as Error);
    signal.addEventListener('abort', stop);
    try {
      const { done, value } = await Promise.race([this.#chunks.next(), aborted]);
      return done === true ? undefined : Buffer.from(value as Uint8Array).toString();
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  [Symbol.dispose](): void {
    // A terminal that is still listened to would keep the program alive.
    (this.#io.stdin as { destroy?: () => void }).destroy?.();
  }
}
