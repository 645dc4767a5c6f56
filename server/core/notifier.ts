import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import type { Clock } from './clock.ts';
import type { Manager, Where } from './database.ts';
import type { Ended, Endings } from './endings.ts';
import { type Hub, Waiter } from './hub.ts';
import { ask, keepConnected } from './keep-connected.ts';
import type { Log } from './log.ts';
import { endedPayload, endPayloads, lookPayload, readNotification } from './notification.ts';
import { CHANNEL, Outbox } from './outbox.ts';
import { Problem } from './problem.ts';

const BEAT_MS = 5_000;
/** How often a node that has not answered yet is told again; it may have been reconnecting the first time. */
const REPEAT_MS = 1_000;
/** Twice a node's lease: who has not answered by then is neither alive nor dead, and the caller must know. */
const MOST_REPEATS = 30;
const MOST_REMEMBERED = 1_000;

/** Tells other nodes to look again, and when a right has ended. A notification is a hint; the read is what is right. */
export interface Notifier {
  /** After commit: wakes this node at once, the others by one coalesced NOTIFY, never inside a send's transaction. */
  announce(topics: readonly string[]): void;
  /**
   * Inside the transaction that ends these rights. What it answers is awaited after the commit, and resolves once no
   * live node uses them any more: each has said so, or its lease has lapsed, which ends everything it held.
   */
  endIn(em: Manager, endings: readonly Ended[]): Promise<() => Promise<void>>;
}

export interface NotifierDeps {
  readonly where: Where;
  readonly hub: Hub;
  readonly endings: Endings;
  readonly clock: Clock;
  readonly log: Log;
  readonly nodeId: string;
  /**
   * Renews this node's lease, through the connection that listens: a node that cannot be told of endings must not stay
   * alive in the eyes of the others. A failure, or no answer, means that the connection is lost.
   */
  readonly beat: (client: pg.Client) => Promise<void>;
  /** The nodes whose lease runs. */
  readonly liveNodes: () => Promise<string[]>;
}

/** Resolves once this node listens. */
export async function openNotifier(deps: NotifierDeps): Promise<Notifier & { close(): Promise<void> }> {
  const notifier = new PostgresNotifier(deps);
  await notifier.listening;
  return notifier;
}

class PostgresNotifier implements Notifier {
  readonly listening: Promise<void>;
  readonly #deps: NotifierDeps;
  readonly #outbox: Outbox;
  readonly #closing = new AbortController();
  readonly #connections: Promise<unknown>;
  /** Answers to what this node ended, by token. */
  readonly #answers = new Map<string, { readonly nodes: Set<string>; readonly came: Waiter }>();
  /** Until we know better. */
  #hasOthers = true;
  #timesHeard = 0;
  readonly #settling = new Set<Promise<void>>();
  /** What this node has acted upon: a repeat is answered, and must not end what began since. */
  readonly #acted = new Set<string>();

  constructor(deps: NotifierDeps) {
    this.#deps = deps;
    this.#outbox = new Outbox(deps.nodeId);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.listening = promise;
    const { signal } = this.#closing;
    this.#connections = Promise.all([
      keepConnected({ ...deps, purpose: 'listen' }, signal, (client, lost) => this.#listen(client, lost, resolve)),
      keepConnected({ ...deps, purpose: 'notify' }, signal, (client, lost) => this.#outbox.say(client, lost)),
    ]);
  }

  announce(topics: readonly string[]): void {
    for (const topic of topics) this.#deps.hub.wake(topic);
    // Alone, a NOTIFY would be 0.1 ms a batch for nobody (measured). Whoever joins says so.
    if (this.#hasOthers) this.#outbox.addTopics(topics);
  }

  async endIn(em: Manager, endings: readonly Ended[]): Promise<() => Promise<void>> {
    if (endings.length === 0) return async () => {};
    const token = randomUUID();
    const payloads = endPayloads(this.#deps.nodeId, token, endings);
    // Before the commit, since the first answer may be here sooner than the commit's own.
    remember(this.#answers, token, { nodes: new Set(), came: new Waiter(() => {}) });
    await em.execute('select pg_notify(?, value) from jsonb_array_elements_text(?::jsonb)', [
      CHANNEL,
      JSON.stringify(payloads),
    ]);
    return () => this.#waitedFor(this.#settle(token, payloads, endings));
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#connections;
    // A question asked after its pool was closed would open another one.
    await Promise.allSettled(this.#settling);
  }

  async #listen(client: pg.Client, lost: AbortSignal, listening: () => void): Promise<void> {
    const { hub, beat, clock, nodeId } = this.#deps;
    client.on('notification', ({ payload }) => this.#heard(payload));
    await ask(client, `listen ${CHANNEL}`);
    await beat(client);
    // Before anybody is served here: a node that thought itself alone is not.
    await ask(client, 'select pg_notify($1, $2)', [CHANNEL, lookPayload(nodeId)]);
    listening();
    // Nobody knows what was said while we were deaf.
    hub.wakeAll();
    for (;;) {
      await this.#lookForOthers();
      await clock.wait(BEAT_MS, lost);
      if (lost.aborted) return;
      await beat(client);
    }
  }

  #heard(payload: string | undefined): void {
    const said = readNotification(payload);
    if (said === undefined) return;
    const { hub, nodeId } = this.#deps;
    const isOwn = said.from === nodeId;
    if (!isOwn) this.#heardOfOthers();
    if (said.say === 'wake' && !isOwn) for (const topic of said.topics) hub.wake(topic);
    if (said.say === 'look' && !isOwn) hub.wakeAll();
    if (said.say === 'ended') {
      const answer = this.#answers.get(said.token);
      answer?.nodes.add(said.from);
      answer?.came.wake();
    }
    if (said.say !== 'end') return;
    if (!this.#acted.has(said.token)) for (const [id, cause] of said.ends) this.#deps.endings.end({ id, cause });
    if (!said.isLast) return;
    this.#act(said.token);
    if (!isOwn) void this.#answer(said.token);
  }

  #heardOfOthers(): void {
    this.#hasOthers = true;
    this.#timesHeard++;
  }

  async #lookForOthers(): Promise<void> {
    const before = this.#timesHeard;
    const live = await this.#liveNodes();
    // Somebody who spoke during the question may not be in its answer.
    if (live !== undefined && before === this.#timesHeard)
      this.#hasOthers = live.some((id) => id !== this.#deps.nodeId);
  }

  async #answer(token: string): Promise<void> {
    await this.#deps.endings.judged();
    this.#outbox.addPayloads([endedPayload(this.#deps.nodeId, token)]);
  }

  #act(token: string): void {
    this.#acted.add(token);
    if (this.#acted.size > MOST_REMEMBERED) this.#acted.delete(this.#acted.values().next().value!);
  }

  async #settle(token: string, payloads: readonly string[], endings: readonly Ended[]): Promise<void> {
    for (const ended of endings) this.#deps.endings.end(ended);
    this.#act(token);
    const answer = this.#answers.get(token) ?? { nodes: new Set(), came: new Waiter(() => {}) };
    remember(this.#answers, token, answer);
    try {
      await this.#deps.endings.judged();
      // Read after the commit: whoever is not in it yet reads what was committed.
      let waiting: string[] | undefined;
      for (let repeats = 0; repeats <= MOST_REPEATS && !this.#closing.signal.aborted; repeats++) {
        const live = await this.#liveNodes();
        waiting = live === undefined ? waiting : live.filter((id) => waiting?.includes(id) ?? id !== this.#deps.nodeId);
        if (waiting !== undefined && isAnswered(waiting, answer.nodes)) return;
        if (repeats > 0) this.#outbox.addPayloads(payloads);
        if (await this.#answered(waiting, answer)) return;
      }
    } finally {
      this.#answers.delete(token);
    }
    throw new Problem(
      Reason.UNAVAILABLE,
      'it is stored, but not every server has said that it acted on it; ask again in a moment to be sure',
    );
  }

  /** Until every one of them has answered, or it is time to say it again. */
  async #answered(
    waiting: readonly string[] | undefined,
    answer: { readonly nodes: ReadonlySet<string>; readonly came: Waiter },
  ): Promise<boolean> {
    const round = new AbortController();
    const signal = AbortSignal.any([round.signal, this.#closing.signal]);
    void this.#deps.clock.wait(REPEAT_MS, signal).then(() => round.abort());
    while (!signal.aborted) {
      await answer.came.next(signal);
      if (waiting === undefined || !isAnswered(waiting, answer.nodes)) continue;
      round.abort();
      return true;
    }
    return false;
  }

  #waitedFor(settled: Promise<void>): Promise<void> {
    this.#settling.add(settled);
    return settled.finally(() => this.#settling.delete(settled));
  }

  async #liveNodes(): Promise<string[] | undefined> {
    try {
      return await this.#deps.liveNodes();
    } catch (error) {
      this.#deps.log.warn({ event: 'node.list_failed', err: error });
      return undefined;
    }
  }
}

const isAnswered = (waiting: readonly string[], nodes: ReadonlySet<string>) => waiting.every((id) => nodes.has(id));

/** The oldest goes first: a transaction that was rolled back never comes for its answers. */
function remember<V>(map: Map<string, V>, key: string, value: V): void {
  map.set(key, value);
  if (map.size > MOST_REMEMBERED) map.delete(map.keys().next().value!);
}
