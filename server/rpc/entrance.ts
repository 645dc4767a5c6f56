import type { DescMethod } from '@bufbuild/protobuf';
import { createContextKey } from '@connectrpc/connect';
import { signedOut } from '../access/known.ts';
import { bearer, type Callers, type Entry } from '../access/resolve-caller.ts';
import { cellFor, isOpen } from '../access/table.ts';

/** Who came in, until somebody takes it over; the right that comes with it is let go of exactly once. */
export class Entrance implements Disposable {
  #entry: Entry | undefined;

  constructor(entry: Entry | undefined) {
    this.#entry = entry;
  }

  /** Whoever takes it lets go of its right. */
  take(): Entry | undefined {
    const entry = this.#entry;
    this.#entry = undefined;
    return entry;
  }

  [Symbol.dispose](): void {
    this.take()?.right[Symbol.dispose]();
  }
}

export const entranceKey = createContextKey<Entrance | undefined>(undefined, { description: 'entrance' });

export type Enter = (method: DescMethod, authorization: string | undefined) => Promise<Entrance>;

/**
 * Settles who calls from the headers alone: reading and decoding megabytes is work, and nobody's is done for whom the
 * table refuses whatever they say.
 */
export const entering =
  (callers: Pick<Callers, 'enter'>): Enter =>
  async (method, authorization) => {
    if (isOpen(method)) return new Entrance(undefined);
    const secret = bearer(authorization ?? null);
    const entry = secret === undefined ? undefined : await callers.enter(secret);
    if (entry === undefined && cellFor(method, 'nobody') === 'no') throw signedOut();
    return new Entrance(entry);
  };
