import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import { crashPoint } from '../core/crash-point.ts';
import type { Database } from '../core/database.ts';
import type { Endings } from '../core/endings.ts';
import type { Notifier } from '../core/notifier.ts';
import { Problem } from '../core/problem.ts';
import { storeBatch, type Verdict } from './store/submissions.ts';
import type { Submission } from './submission.ts';

/** One batch is one statement: beyond these a batch gains nothing and a failure costs more. */
const MOST_SUBMISSIONS = 500;
const MOST_COPIES = 1_000;
const MOST_BYTES = 4 * 1024 * 1024;
/** Held in memory while the database is slow; more is refused at once instead of growing without end. */
const MOST_WAITING = 20_000;

interface BatcherDeps {
  readonly orm: Database;
  readonly notifier: Notifier;
  readonly endings: Endings;
  readonly hops: number;
  /** Whether the database has room for more, as far as this server can see its disk. */
  readonly hasRoom: () => boolean;
}

interface Entry {
  readonly submission: Submission;
  readonly resolve: (verdict: Verdict) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Natural group commit: while one batch commits, the next collects. No timer, so a lone sender waits for nobody, and many
 * senders share one flush. One writer a node keeps every sender's order.
 */
export class Batcher {
  readonly #deps: BatcherDeps;
  #waiting: Entry[] = [];
  #running = false;

  constructor(deps: BatcherDeps) {
    this.#deps = deps;
  }

  /** Resolves after the flush; what it stored is on disk (MSG-1). */
  store(submission: Submission): Promise<Verdict> {
    if (this.#waiting.length >= MOST_WAITING)
      return Promise.reject(
        new Problem(
          Reason.UNAVAILABLE,
          'the server has more messages waiting than it can store; try again in a moment',
        ),
      );
    return new Promise((resolve, reject) => {
      this.#waiting.push({ submission, resolve, reject });
      if (!this.#running) void this.#run();
    });
  }

  async #run(): Promise<void> {
    this.#running = true;
    // What arrived in the same turn of the event loop shares the first batch.
    await new Promise((next) => setImmediate(next));
    while (this.#waiting.length > 0) await this.#commit(this.#take());
    this.#running = false;
  }

  #take(): Entry[] {
    let copies = 0;
    let bytes = 0;
    let count = 0;
    for (const { submission } of this.#waiting) {
      copies += submission.copies.length;
      bytes += submission.body.length;
      if (count > 0 && (count >= MOST_SUBMISSIONS || copies > MOST_COPIES || bytes > MOST_BYTES)) break;
      count++;
    }
    return this.#waiting.splice(0, count);
  }

  async #commit(batch: readonly Entry[], attempt = 0): Promise<void> {
    crashPoint('batch.collected');
    if (!this.#deps.hasRoom()) return batch.forEach(({ reject }) => reject(full()));
    let verdicts: Verdict[];
    try {
      const submissions = batch.map((entry) => entry.submission);
      const storing = storeBatch(this.#deps.orm.em.fork(), submissions, this.#deps.hops);
      verdicts = await this.#deps.endings.judging(storing);
    } catch (error) {
      if (isClash(error) && attempt < 5) return this.#commit(batch, attempt + 1);
      if (!isFaultOfARow(error) || batch.length === 1) return batch.forEach((entry) => entry.reject(error));
      // One row is at fault and nothing was stored: halves, in order, until it stands alone.
      const half = Math.ceil(batch.length / 2);
      await this.#commit(batch.slice(0, half));
      return this.#commit(batch.slice(half));
    }
    crashPoint('batch.committed');
    const topics = new Set<string>();
    batch.forEach(({ submission, resolve }, i) => {
      const verdict = verdicts[i]!;
      if (verdict.refusal === null) for (const copy of submission.copies) topics.add(`mailbox:${copy.toMailboxId}`);
      resolve(verdict);
    });
    crashPoint('send.answered');
    this.#deps.notifier.announce([...topics]);
  }
}

const full = () =>
  new Problem(
    Reason.STORAGE_FULL,
    "the server's disk is full but for what its database needs to stay up; nothing was stored. Free space and try again",
  );

const sqlState = (error: unknown): string => {
  const code = (error as { code?: unknown } | undefined)?.code;
  return typeof code === 'string' ? code : '';
};

/** Deadlock or serialization failure: nobody's fault, and nothing was stored. */
const isClash = (error: unknown): boolean => ['40P01', '40001'].includes(sqlState(error));

/** Data that PostgreSQL refuses (class 22), or a constraint that a row breaks (class 23). */
const isFaultOfARow = (error: unknown): boolean => /^2[23]/.test(sqlState(error));
