import { once } from 'node:events';
import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { type BridgeStatus, BridgeStatusSchema } from '#gen/agentworks/bridge/v1/local_pb.ts';
import type { Delivery } from '../delivery/delivery.ts';
import type { Journal } from '../journal/journal.ts';
import type { BridgeLink } from '../link/bridge-link.ts';
import { type Shown, sessionShown } from './shown.ts';

export interface StatusDeps extends Shown {
  readonly delivery: Delivery;
  readonly journal: Journal;
  readonly link: Pick<BridgeLink, 'connected' | 'problem' | 'serverVersion'>;
  readonly version: string;
  /** The server this bridge speaks to, in words for the person. */
  readonly server: string;
}

/** How the bridge stands, and who is told when that changes. */
export class Status {
  readonly #deps: StatusDeps;
  readonly #changed = new EventTarget();
  #since = new Date();

  constructor(deps: StatusDeps) {
    this.#deps = deps;
  }

  now(): BridgeStatus {
    const { link, journal, delivery, version, server } = this.#deps;
    const sessions = journal.leases().flatMap((lease) => {
      const session = delivery.sessionOf(lease);
      return session === undefined ? [] : [sessionShown(this.#deps, session, lease)];
    });
    return create(BridgeStatusSchema, {
      version,
      pid: BigInt(process.pid),
      server,
      connected: link.connected,
      sinceTime: timestampFromDate(this.#since),
      problem: link.problem,
      sessions,
      outbox: journal.outbox.count(),
      serverVersion: link.serverVersion,
    });
  }

  /** The link came up or broke. */
  turned(): void {
    this.#since = new Date();
    this.changed();
  }

  /** Something that is shown changed. */
  changed(): void {
    this.#changed.dispatchEvent(new Event('change'));
  }

  async *changes(signal: AbortSignal): AsyncGenerator<BridgeStatus> {
    while (!signal.aborted) {
      const next = once(this.#changed, 'change', { signal }).catch(() => {});
      yield this.now();
      await next;
    }
  }
}
