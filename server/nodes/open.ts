import type { Clock } from '../core/clock.ts';
import type { Database, Where } from '../core/database.ts';
import type { Endings } from '../core/endings.ts';
import type { Hub } from '../core/hub.ts';
import { newId } from '../core/ids.ts';
import type { Log } from '../core/log.ts';
import { type Notifier, openNotifier } from '../core/notifier.ts';
import { type Hands, NodeLease } from './lease.ts';
import { dropLapsed, dropNode, dropOthers, liveNodes, readEpoch } from './store.ts';

const REAP_MS = 5_000;

export interface NodeDeps {
  readonly orm: Database;
  readonly where: Where;
  readonly hub: Hub;
  readonly endings: Endings;
  readonly clock: Clock;
  readonly log: Log;
  /** The database serves this server only, so that any other node in it died: nobody waits for its lease to lapse. */
  readonly isAlone?: boolean;
  readonly hands?: Hands;
}

/** This process among those that share the database. */
export interface OpenNode {
  readonly nodeId: string;
  /** Which life of the database this is. */
  readonly epoch: string;
  readonly notifier: Notifier;
  /** Whether this node would be told if a right ended; while false it must release nothing. */
  isCurrent(): boolean;
  /** After the last stream has ended. */
  close(): Promise<void>;
}

/** It listens before it is known to the others, so that nothing they say from then on passes it by. */
export async function openNode(deps: NodeDeps): Promise<OpenNode> {
  const nodeId = newId('nod');
  const epoch = await readEpoch(deps.orm.em.fork());
  if (deps.isAlone === true) await dropOthers(deps.orm.em.fork(), nodeId);
  const lease = new NodeLease({ ...deps, nodeId });
  const notifier = await openNotifier({
    ...deps,
    nodeId,
    beat: (client) => lease.beat(client),
    liveNodes: () => liveNodes(deps.orm.em.fork()),
  });
  const closing = new AbortController();
  const loops = Promise.all([lease.watch(closing.signal), reap({ ...deps, notifier }, closing.signal)]);
  return {
    nodeId,
    epoch,
    notifier,
    isCurrent: () => lease.isCurrent(),
    close: async () => {
      closing.abort();
      await loops;
      await notifier.close();
      // Only a courtesy: without it the others wait for the lease to lapse.
      await dropNode(deps.orm.em.fork(), nodeId).catch((error: unknown) => {
        deps.log.warn({ event: 'node.leave_failed', err: error });
      });
    },
  };
}

/** A node that died takes its links with it; whoever watches presence looks again. */
async function reap(
  { orm, clock, log, notifier }: Pick<NodeDeps, 'orm' | 'clock' | 'log'> & { readonly notifier: Notifier },
  closing: AbortSignal,
): Promise<void> {
  while (!closing.aborted) {
    try {
      const accountIds = await dropLapsed(orm.em.fork());
      if (accountIds.length > 0) notifier.announce(accountIds.map((id) => `account:${id}`));
    } catch (error) {
      log.warn({ event: 'node.reap_failed', err: error });
    }
    await clock.wait(REAP_MS, closing);
  }
}
