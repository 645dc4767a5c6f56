import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import type { Clock } from '../core/clock.ts';
import { Problem } from '../core/problem.ts';
import type { Outbox } from './outbox.ts';

export const PING_SECONDS = 10;
const PONG_MS = 5_000;

/** Notices a link whose other end is gone without a word: a ping that nothing answers, within 15 s. */
export class Alive {
  readonly #deps: { readonly clock: Clock };
  readonly #outbox: Outbox;
  readonly #dead: (why: Problem) => void;
  #heard = 0;
  #isDeaf = false;

  constructor(deps: { readonly clock: Clock }, outbox: Outbox, dead: (why: Problem) => void) {
    this.#deps = deps;
    this.#outbox = outbox;
    this.#dead = dead;
  }

  /** Any frame is a sign of life. While we do what it asks we hear nothing, which says nothing of the other end. */
  async hear<T>(act: () => Promise<T>): Promise<T> {
    this.#heard++;
    this.#isDeaf = true;
    try {
      return await act();
    } finally {
      this.#isDeaf = false;
      this.#heard++;
    }
  }

  async watch(stop: AbortSignal): Promise<void> {
    for (let nonce = 1n; ; nonce++) {
      await this.#deps.clock.wait(PING_SECONDS * 1000, stop);
      if (stop.aborted) return;
      const before = this.#heard;
      this.#outbox.put({ case: 'ping', value: { nonce } });
      await this.#deps.clock.wait(PONG_MS, stop);
      if (stop.aborted) return;
      if (this.#heard === before && !this.#isDeaf)
        this.#dead(new Problem(Reason.UNAVAILABLE, `no answer to a ping within ${PONG_MS / 1000} s; connect again`));
    }
  }
}
