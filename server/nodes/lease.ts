import type pg from 'pg';
import type { Clock } from '../core/clock.ts';
import type { Endings } from '../core/endings.ts';
import type { Log } from '../core/log.ts';
import { renewLease, takeLease } from './store.ts';

/** Two thirds of the lease: a node has stopped for certain before the others stop waiting for it. */
const FENCE_MS = 10_000;
const LOOK_MS = 1_000;

/**
 * Both ways a computer counts time, which no test's clock moves. The monotonic one stands still while a virtual machine
 * or a laptop sleeps, the wall clock can be set back: the one that counted more is believed.
 */
export type Hands = () => readonly [monotonic: number, wall: number];
const ownHands: Hands = () => [performance.now(), Date.now()];

interface LeaseDeps {
  readonly nodeId: string;
  readonly endings: Endings;
  readonly clock: Clock;
  readonly log: Log;
  readonly hands?: Hands | undefined;
}

/** This node's right to be waited for. Without it, it serves nobody: nobody would tell it that a right has ended. */
export class NodeLease {
  readonly #deps: LeaseDeps;
  readonly #hands: Hands;
  #renewed: ReturnType<Hands> = [0, 0];
  #isHeld = false;

  constructor(deps: LeaseDeps) {
    this.#deps = deps;
    this.#hands = deps.hands ?? ownHands;
  }

  /** Cheap enough to be asked before everything that leaves. */
  isCurrent(): boolean {
    return this.#isHeld && this.#age() < FENCE_MS;
  }

  async beat(client: pg.Client): Promise<void> {
    // Counted from before the question: the database may have answered long before we read it.
    const begun = this.#hands();
    this.#look();
    if (!this.#isHeld || !(await renewLease(client, this.#deps.nodeId))) {
      this.#fence();
      await takeLease(client, this.#deps.nodeId);
      this.#deps.log.info({ event: 'node.registered', nodeId: this.#deps.nodeId });
    }
    this.#renewed = begun;
    this.#isHeld = true;
  }

  /** Notices that renewing has stopped, whatever it is that hangs. */
  async watch(closing: AbortSignal): Promise<void> {
    while (!closing.aborted) {
      this.#look();
      await this.#deps.clock.wait(LOOK_MS, closing);
    }
  }

  #look(): void {
    if (this.#isHeld && this.#age() >= FENCE_MS) this.#fence();
  }

  #fence(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#deps.log.error({ event: 'node.out_of_touch', nodeId: this.#deps.nodeId });
    this.#deps.endings.endAll('out-of-touch');
  }

  #age(): number {
    const [monotonic, wall] = this.#hands();
    return Math.max(monotonic - this.#renewed[0], wall - this.#renewed[1]);
  }
}
