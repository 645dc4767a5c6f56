import { setTimeout as later } from 'node:timers/promises';

/** What holds a process open and must not outlive a scene. Timers are left out: Vitest has its own. */
const kinds = new Set(['TCPSocketWrap', 'TCPServerWrap', 'PipeWrap', 'PipeServerWrap', 'ProcessWrap', 'FSEventWrap']);

/** Who opened what in a scene, and what this process held before it. */
export class Leftovers {
  readonly #before = held();
  readonly #open = new Set<{ readonly what: string }>();
  readonly #leaving: (() => void)[] = [];

  opens(what: string): () => void {
    const entry = { what };
    this.#open.add(entry);
    return () => this.#open.delete(entry);
  }

  streams(): string[] {
    return [...this.#open].map(({ what }) => what);
  }

  onLeave(close: () => void): void {
    this.#leaving.push(close);
  }

  leave(): void {
    for (const close of this.#leaving) close();
  }

  /** Sockets close a tick or two after they are told to; a second is for ever. */
  async refuse(): Promise<void> {
    for (let tries = 0; tries < 50 && this.#more().length > 0; tries++) await later(20);
    const more = this.#more();
    if (more.length > 0) throw new Error(`left open: ${more.join(', ')}`);
  }

  #more(): string[] {
    const before = [...this.#before];
    return held().filter((kind) => {
      const at = before.indexOf(kind);
      if (at >= 0) before.splice(at, 1);
      return at < 0;
    });
  }
}

const held = (): string[] => process.getActiveResourcesInfo().filter((kind) => kinds.has(kind));
