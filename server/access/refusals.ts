import type { Database } from '../core/database.ts';
import { limits } from '../core/limits.ts';
import type { Log } from '../core/log.ts';
import { type AuditEvent, fitting } from './audit.ts';
import type { Known } from './callers.ts';
import { addEvent, countRefusal, dropOldest } from './store/audit.ts';

/** Different refusals that wait to be written, on one node. More are not written one by one: the log has them. */
const MOST_WAITING = 1_000;

/**
 * Writes down what was refused, outside of every call: while one write runs the next collects, and the same refusal is
 * counted on its row, so that a flood fills no disk.
 */
export class Refusals {
  readonly #deps: { readonly orm: Database; readonly log: Log };
  #waiting = new Map<string, { readonly event: AuditEvent; times: number }>();
  #writing: Promise<void> | undefined;

  constructor(deps: { readonly orm: Database; readonly log: Log }) {
    this.#deps = deps;
  }

  note({ accountId, connectionId }: Known, rpc: string, sentence: string): void {
    const key = `${connectionId} ${rpc}`;
    const waiting = this.#waiting.get(key);
    if (waiting !== undefined) waiting.times++;
    else if (this.#waiting.size < MOST_WAITING) {
      const event = fitting({ accountId, kind: 'call.refused', connectionId, subject: rpc, sentence });
      this.#waiting.set(key, { event, times: 1 });
    }
    this.#writing ??= this.#write();
  }

  /** Resolves once what was noted is written. */
  async close(): Promise<void> {
    await this.#writing;
  }

  async #write(): Promise<void> {
    while (this.#waiting.size > 0) {
      const noted = [...this.#waiting.values()];
      this.#waiting = new Map();
      try {
        for (const { event, times } of noted) await this.#add(event, times);
      } catch (error) {
        this.#deps.log.warn({ event: 'refusals.lost', err: error });
      }
    }
    this.#writing = undefined;
  }

  async #add(event: AuditEvent, times: number): Promise<void> {
    const em = this.#deps.orm.em.fork();
    if (await countRefusal(em, event, times)) return;
    await addEvent(em, event, times);
    await dropOldest(em, event.accountId, { areRefusals: true, keep: limits.auditRefusals.max });
  }
}
