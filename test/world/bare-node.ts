import { systemClock } from '../../server/core/clock.ts';
import { type Database, openClient, openDatabase, type Where } from '../../server/core/database.ts';
import { Endings } from '../../server/core/endings.ts';
import { Hub } from '../../server/core/hub.ts';
import { newLog } from '../../server/core/log.ts';
import { entities } from '../../server/entities.ts';
import { migrations } from '../../server/migrations/list.ts';
import { type OpenNode, openNode } from '../../server/nodes/open.ts';

/** A node without a door: what it hears, and what it holds. */
export interface BareNode extends OpenNode {
  readonly orm: Database;
  readonly hub: Hub;
  readonly endings: Endings;
}

export async function bareNode(where: Where, options: { isAlone?: boolean } = {}): Promise<BareNode> {
  const orm = await openDatabase(where, entities, migrations);
  const hub = new Hub();
  const endings = new Endings();
  const node = await openNode({ orm, where, hub, endings, clock: systemClock, log: newLog('silent'), ...options });
  const close = async () => {
    await node.close();
    await orm.close();
  };
  return { ...node, orm, hub, endings, close };
}

/** What only somebody beside all nodes can do. */
export async function beside(where: Where, statement: string): Promise<Record<string, unknown>[]> {
  const client = openClient(where);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows;
  } finally {
    await client.end();
  }
}

/** Cuts every connection by which a node of this database hears; what it waits for it looks at ten times a second. */
export const deafening = (waitMs: number) =>
  `select pg_terminate_backend(pid, ${waitMs}) from pg_stat_activity
    where datname = current_database() and application_name = 'agentworks listen'`;

export const deafen = (where: Where) => beside(where, deafening(5_000));
