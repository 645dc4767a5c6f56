import { setTimeout as later } from 'node:timers/promises';
import type { Agent } from '#gen/agentworks/agents/v1/agents_pb.ts';
import type { Session } from '#gen/agentworks/bridge/v1/local_pb.ts';
import { type AgentWorks, Refusal } from '../../../bridge/client/index.ts';
import { openBridge } from '../../../bridge/socket/ask.ts';
import { findBridge } from '../../../bridge/socket/find.ts';
import type { Where } from '../../../bridge/socket/where.ts';

export interface View {
  /** By name, so that no row moves while somebody looks. */
  readonly agents: readonly Agent[];
  readonly sessions: readonly Session[];
  /** Why the directory may be older than it looks. */
  readonly problem: string;
}

/** A bridge that is not there may come. */
const LOOK_MS = 2_000;

/** The directory and what is attached here, as they change. */
export class Live {
  readonly #agents = new Map<string, Agent>();
  readonly #listeners = new Set<() => void>();
  readonly #everyMs: number;
  #view: View = { agents: [], sessions: [], problem: '' };
  #isBroken = false;
  #isDue = false;

  /** Whoever follows is told at most once in so many milliseconds. */
  constructor(everyMs: number) {
    this.#everyMs = everyMs;
  }

  readonly view = (): View => this.#view;

  readonly onChange = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /** Runs until the signal says so; throws when the right to see the directory ends. */
  async follow(client: AgentWorks, where: Where, signal: AbortSignal): Promise<void> {
    await Promise.all([this.#followDirectory(client, signal), this.#followBridge(where, signal)]);
  }

  async #followDirectory(client: AgentWorks, signal: AbortSignal): Promise<void> {
    const onBreak = ({ sentence }: Refusal) => {
      this.#isBroken = true;
      this.#set({ problem: sentence });
    };
    for await (const { agents, removedAgentIds } of client.watchDirectory({ signal, onBreak })) {
      // After a break it begins with the whole directory again.
      if (this.#isBroken) this.#agents.clear();
      this.#isBroken = false;
      for (const agent of agents) this.#agents.set(agent.agentId, agent);
      for (const id of removedAgentIds) this.#agents.delete(id);
      const byName = [...this.#agents.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
      this.#set({ agents: byName, problem: '' });
    }
  }

  async #followBridge(where: Where, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        if ((await findBridge(where)) !== undefined) await this.#watchBridge(where, signal);
      } catch (error) {
        if (!signal.aborted && !(error instanceof Refusal)) throw error;
      }
      if (signal.aborted) return;
      this.#set({ sessions: [] });
      await later(LOOK_MS, undefined, { signal, ref: false }).catch(() => {});
    }
  }

  async #watchBridge(where: Where, signal: AbortSignal): Promise<void> {
    const bridge = await openBridge(where);
    try {
      for await (const { status } of bridge.local.watch({}, { signal }))
        this.#set({ sessions: status?.sessions ?? [] });
    } finally {
      bridge.close();
    }
  }

  #set(part: Partial<View>): void {
    this.#view = { ...this.#view, ...part };
    if (this.#isDue) return;
    this.#isDue = true;
    setTimeout(() => {
      this.#isDue = false;
      for (const listener of this.#listeners) listener();
    }, this.#everyMs).unref();
  }
}
