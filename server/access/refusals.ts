import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import type { Clock } from '../core/clock.ts';
import type { Database } from '../core/database.ts';
import { limits } from '../core/limits.ts';
import type { Log } from '../core/log.ts';
import { Problem } from '../core/problem.ts';
import { type AuditEvent, fitting } from './audit.ts';
import type { Known } from './callers.ts';
import { addEvent, countRefusal, dropOldest } from './store/audit.ts';

/** Different refusals that wait to be written, on one node. More are not written one by one: the log has them. */
const MOST_WAITING = 1_000;
/** Between two writes, so that a flood costs the database a few rows a second. */
const COLLECT_MS = 1_000;

interface RefusalsDeps {
  readonly orm: Database;
  readonly clock: Clock;
  readonly log: Log;
}

const FOR_WANT_OF_A_RIGHT = new Set<Reason>([Reason.NOT_ALLOWED, Reason.SCOPE_MISSING]);

/**
 * Writes down what was refused for want of a right, outside of every call: the first at once, what follows collected, and
 * the same refusal counted on its row, so that a flood fills no disk.
 */
export class Refusals {
  readonly #deps: RefusalsDeps;
  readonly #closing = new AbortController();
  #waiting = new Map<string, { readonly event: AuditEvent; times: number }>();
  #writing: Promise<void> | undefined;

  constructor(deps: RefusalsDeps) {
    this.#deps = deps;
  }

  /** Any failure of a call; only a refusal for want of a right is written down. */
  note({ accountId, connectionId }: Known, rpc: string, error: unknown): void {
    if (!(error instanceof Problem) || !FOR_WANT_OF_A_RIGHT.has(error.reason)) return;
    const key = `${connectionId} ${rpc}`;
    const waiting = this.#waiting.get(key);
    if (waiting !== undefined) waiting.times++;
    else if (this.#waiting.size < MOST_WAITING) {
      const event = fitting({ accountId, kind: 'call.refused', connectionId, subject: rpc, sentence: error.message });
      this.#waiting.set(key, { event, times: 1 });
    }
    this.#writing ??= this.#write();
  }

  /** Resolves once what was noted is written. */
  async close(): Promise<void> {
    this.#closing.abort();
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
      await this.#deps.clock.wait(COLLECT_MS, this.#closing.signal);
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
