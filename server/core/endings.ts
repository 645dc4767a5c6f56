import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import { Problem } from './problem.ts';

/** Why a right ended while somebody was using it. */
export type EndCause =
  | 'moved'
  | 'detached'
  | 'revoked'
  | 'expired'
  | 'unregistered'
  | 'taken-up-elsewhere'
  /** The right lives on with less in it: whoever uses it asks again. */
  | 'narrowed'
  /** The right itself may live on: this node can no longer be told of endings, so it alone stops. */
  | 'out-of-touch';

/** The id of a connection, an attachment or an agent whose holders must stop. */
export interface Ended {
  readonly id: string;
  readonly cause: EndCause;
}

/**
 * Who is using a right on this node now. Ending an id is synchronous: whoever looks at `ended` before each thing it
 * releases can release nothing afterwards (RCP-5, ACC-2).
 */
export class Endings {
  readonly #holds = new Map<string, Set<Hold>>();
  readonly #beginnings = new Set<Beginning>();
  readonly #judging = new Set<Promise<unknown>>();

  /** For rights whose ids must be looked up first: what ends during the look counts against the hold it becomes. */
  begin(): Beginning {
    const beginning: Beginning = new Beginning(
      (ids) => this.hold(...ids),
      () => this.#beginnings.delete(beginning),
    );
    this.#beginnings.add(beginning);
    return beginning;
  }

  /** For a statement that judges rights as it begins and stores by them when it ends, however long that takes. */
  async judging<T>(statement: Promise<T>): Promise<T> {
    this.#judging.add(statement);
    try {
      return await statement;
    } finally {
      this.#judging.delete(statement);
    }
  }

  /** Resolves once every statement has ended that may have judged by what has ended since. */
  async judged(): Promise<void> {
    await Promise.allSettled(this.#judging);
  }

  hold(...ids: readonly string[]): Hold {
    const hold = new Hold(() => {
      for (const id of ids) {
        const set = this.#holds.get(id);
        set?.delete(hold);
        if (set?.size === 0) this.#holds.delete(id);
      }
    });
    for (const id of ids) {
      const set = this.#holds.get(id) ?? new Set();
      this.#holds.set(id, set.add(hold));
    }
    return hold;
  }

  end({ id, cause }: Ended): void {
    for (const beginning of this.#beginnings) beginning.saw(id, cause);
    for (const hold of this.#holds.get(id) ?? []) hold.end(cause, id);
  }

  /** A node that lost its lease can no longer be told of endings: it stops everyone itself. */
  endAll(cause: EndCause): void {
    for (const beginning of this.#beginnings) beginning.saw(undefined, cause);
    for (const [id] of this.#holds) this.end({ id, cause });
  }
}

/** A hold to be, while its ids are looked up. */
export class Beginning implements Disposable {
  readonly #hold: (ids: readonly string[]) => Hold;
  readonly #leave: () => void;
  readonly #seen: { readonly id: string | undefined; readonly cause: EndCause }[] = [];

  constructor(hold: (ids: readonly string[]) => Hold, leave: () => void) {
    this.#hold = hold;
    this.#leave = leave;
  }

  /** Without an id, everything ended. */
  saw(id: string | undefined, cause: EndCause): void {
    this.#seen.push({ id, cause });
  }

  over(...ids: readonly string[]): Hold {
    const hold = this.#hold(ids);
    for (const { id, cause } of this.#seen) if (id === undefined || ids.includes(id)) hold.end(cause, id ?? ids[0]!);
    this.#leave();
    return hold;
  }

  [Symbol.dispose](): void {
    this.#leave();
  }
}

/** One use of one or more rights, from its beginning until it is disposed of or ended. */
export class Hold implements Disposable {
  /** Set once any of the rights ended. */
  ended: { readonly cause: EndCause; readonly id: string } | undefined;
  /** Called once, as soon as any of the rights ends. */
  onEnd: ((cause: EndCause) => void) | undefined;
  readonly #release: () => void;
  #abort: AbortController | undefined;

  constructor(release: () => void) {
    this.#release = release;
  }

  /** For waiting; made only where somebody waits, since a signal a call costs more than the check. */
  get signal(): AbortSignal {
    this.#abort ??= new AbortController();
    if (this.ended !== undefined) this.#abort.abort();
    return this.#abort.signal;
  }

  end(cause: EndCause, id: string): void {
    if (this.ended !== undefined) return;
    this.ended = { cause, id };
    this.#abort?.abort();
    this.onEnd?.(cause);
  }

  /** Call before each release. */
  check(): void {
    if (this.ended !== undefined) throw refusal(this.ended.cause);
  }

  [Symbol.dispose](): void {
    this.#release();
  }
}

const refusal = (cause: EndCause): Problem => {
  switch (cause) {
    case 'revoked':
    case 'expired':
      return new Problem(Reason.SIGNED_OUT, `the connection was ${cause}; run \`agentworks login\``);
    case 'out-of-touch':
      return new Problem(
        Reason.UNAVAILABLE,
        'this server lost touch with its database and stopped what it was doing; try again in a moment',
      );
    case 'narrowed':
      return new Problem(
        Reason.UNAVAILABLE,
        'what this connection may do was changed just now; ask again, a stream from its last cursor',
      );
    case 'moved':
      return new Problem(Reason.LEASE_ENDED, 'the name moved to a newer session; attach again to take it back');
    case 'detached':
      return new Problem(Reason.LEASE_ENDED, 'the attachment was detached; attach again');
    case 'taken-up-elsewhere':
      return new Problem(Reason.LEASE_ENDED, 'another link took this attachment up');
    case 'unregistered':
      return new Problem(Reason.NOT_FOUND, 'the name was unregistered; `agentworks messages list` shows the names');
  }
};
