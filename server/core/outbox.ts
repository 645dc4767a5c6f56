import type pg from 'pg';
import { crashPoint } from './crash-point.ts';
import { Waiter } from './hub.ts';
import { ask } from './keep-connected.ts';
import { lookPayload, wakePayloads } from './notification.ts';

export const CHANNEL = 'agentworks';
/** While the database is away, topics are not collected without end: more than these become "look at everything". */
const MOST_TOPICS = 5_000;
const MOST_PAYLOADS = 5_000;

/** What waits to be said to other nodes: while one NOTIFY runs, the next collects. */
export class Outbox {
  readonly #from: string;
  readonly #filled = new Waiter(() => {});
  #topics = new Set<string>();
  #payloads: string[] = [];
  #mustLook = false;

  constructor(from: string) {
    this.#from = from;
  }

  addTopics(topics: readonly string[]): void {
    for (const topic of topics) this.#topics.add(topic);
    if (this.#topics.size > MOST_TOPICS) this.#collapse();
    this.#filled.wake();
  }

  /** These are said again until they are answered, so the oldest may be dropped. */
  addPayloads(payloads: readonly string[]): void {
    this.#payloads.push(...payloads);
    if (this.#payloads.length > MOST_PAYLOADS) this.#payloads.splice(0, this.#payloads.length - MOST_PAYLOADS);
    this.#filled.wake();
  }

  /** Says everything through this connection until it is lost, and what is left when we close. */
  async say(client: pg.Client, lost: AbortSignal): Promise<void> {
    // A hint needs no flush: without this, each NOTIFY would wait for the disk like a commit of its own.
    await ask(client, 'set synchronous_commit = off');
    do {
      while (this.#isEmpty() && !lost.aborted) await this.#filled.next(lost);
      if (!this.#isEmpty()) await this.#sayOnce(client);
    } while (!lost.aborted);
  }

  async #sayOnce(client: pg.Client): Promise<void> {
    const wakes = this.#mustLook ? [lookPayload(this.#from)] : wakePayloads(this.#from, this.#topics);
    const values = [CHANNEL, [...this.#payloads, ...wakes]];
    this.#payloads = [];
    this.#topics = new Set();
    this.#mustLook = false;
    try {
      await ask(client, 'select pg_notify($1, payload) from unnest($2::text[]) as payload', values);
    } catch (error) {
      this.#mustLook = true;
      throw error;
    }
    crashPoint('notify.sent');
  }

  #collapse(): void {
    this.#topics = new Set();
    this.#mustLook = true;
  }

  #isEmpty(): boolean {
    return !this.#mustLook && this.#topics.size === 0 && this.#payloads.length === 0;
  }
}
