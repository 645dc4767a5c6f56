import type { Clock } from '../core/clock.ts';
import type { Database } from '../core/database.ts';
import type { Endings, Hold } from '../core/endings.ts';
import { Loader } from '../core/loader.ts';
import type { Log } from '../core/log.ts';
import { hashSecret, looksLikeSecret, looksLikeToken } from '../core/secret.ts';
import { both } from './bounds.ts';
import type { Known } from './callers.ts';
import { Expiries } from './expiries.ts';
import { LastSeen } from './last-seen.ts';
import { liveConnections, type LiveConnection, TOKEN_CONNECTIONS } from './store/connections.ts';

/** Who is calling, and the hold on what that rests on: the connection, and the one it hangs on. */
export interface Entry {
  readonly caller: Known;
  readonly right: Hold;
}

interface CallerDeps {
  readonly orm: Database;
  readonly endings: Endings;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Turns a secret into its caller, by the row and nothing remembered: a revocation acts on the next question (ACC-2).
 * What is asked while one query runs shares the next one.
 */
export class Callers {
  readonly #endings: Endings;
  readonly #rows: Loader<string, LiveConnection>;
  readonly #tokenRows: Loader<string, LiveConnection>;
  readonly #seen: LastSeen;
  readonly #expiries: Expiries;

  constructor(deps: CallerDeps) {
    this.#endings = deps.endings;
    this.#rows = new Loader((hashes) => liveConnections(deps.orm.em.fork(), hashes));
    this.#tokenRows = new Loader((hashes) => liveConnections(deps.orm.em.fork(), hashes, TOKEN_CONNECTIONS));
    this.#seen = new LastSeen(deps);
    this.#expiries = new Expiries(deps);
  }

  /** Undefined for a secret that is not ours, or no longer live. Whoever enters disposes of the right. */
  async enter(secret: string): Promise<Entry | undefined> {
    const rows = this.#rowsFor(secret);
    if (rows === undefined) return undefined;
    // From before the question: what ends while it is asked must not slip between its answer and the hold.
    using beginning = this.#endings.begin();
    const row = await rows.load(hashSecret(secret));
    if (row === undefined) return undefined;
    const right = beginning.over(row.id, ...(row.parent_id === null ? [] : [row.parent_id]));
    if (row.is_stale) this.#seen.note(row.id);
    if (row.seconds_left !== null) this.#expiries.watch(row.id, Number(row.seconds_left));
    return { caller: callerOf(row), right };
  }

  #rowsFor(secret: string): Loader<string, LiveConnection> | undefined {
    if (looksLikeSecret(secret)) return this.#rows;
    return looksLikeToken(secret) ? this.#tokenRows : undefined;
  }

  async close(): Promise<void> {
    this.#expiries.close();
    await this.#seen.close();
  }
}

/** A child has what is left to it of what its parent has now; a token, what is left of what its connection has. */
function callerOf(row: LiveConnection): Known {
  const signed = {
    accountId: row.account_id,
    connectionId: row.id,
    targets: both(row.targets, row.parent_targets),
  };
  switch (row.kind) {
    case 'login':
    case 'browser':
      return { kind: 'person', ...signed };
    case 'service':
    case 'client':
      return { kind: 'connection', ...signed, scopes: both(both(row.scopes, row.parent_scopes), row.token_scopes) };
    case 'child':
      return { kind: 'child', ...signed, agentId: row.agent_id ?? '', agentName: row.agent_name ?? '' };
  }
}

/** The secret of an Authorization header. */
export const bearer = (header: string | null): string | undefined => header?.match(/^Bearer +(\S+)$/i)?.[1];
