import type pg from 'pg';
import type { Manager } from '../core/database.ts';
import { ask } from '../core/keep-connected.ts';

/** Measured by the database's clock alone, which is the same for all. */
const TTL = `interval '15 seconds'`;

export async function readEpoch(em: Manager): Promise<string> {
  const rows: { id: string }[] = await em.execute('select id from epoch order by create_time desc limit 1');
  return rows[0]!.id;
}

/** False when the lease has lapsed: others have stopped waiting for this node, so it may not simply go on. */
export async function renewLease(client: pg.Client, nodeId: string): Promise<boolean> {
  const text = `update node set expire_time = now() + ${TTL} where id = $1 and expire_time > now()`;
  const { rowCount } = await ask(client, text, [nodeId]);
  return rowCount === 1;
}

/** A new life under the same id; the links of the one before are gone with it. */
export async function takeLease(client: pg.Client, nodeId: string): Promise<void> {
  await ask(client, 'begin');
  await ask(client, dropped('id = $1'), [nodeId]);
  await ask(client, `insert into node (id, expire_time) values ($1, now() + ${TTL})`, [nodeId]);
  await ask(client, 'commit');
}

export async function liveNodes(em: Manager): Promise<string[]> {
  const rows: { id: string }[] = await em.execute('select id from node where expire_time > now()');
  return rows.map((row) => row.id);
}

/** Answers the accounts whose agents' presence changed. */
export const dropLapsed = (em: Manager): Promise<string[]> => drop(em, 'expire_time <= now()', []);
export const dropNode = (em: Manager, nodeId: string): Promise<string[]> => drop(em, 'id = ?', [nodeId]);
export const dropOthers = (em: Manager, nodeId: string): Promise<string[]> => drop(em, 'id <> ?', [nodeId]);

async function drop(em: Manager, which: string, values: readonly string[]): Promise<string[]> {
  const rows: { account_id: string }[] = await em.execute(dropped(which), [...values]);
  return rows.map((row) => row.account_id);
}

/** Its links go by cascade, after this statement: until then they say which attachments to let go of. */
const dropped = (which: string): string => `
  with dead as (delete from node where ${which} returning id),
       gone as (select link.id, link.account_id from link join dead on dead.id = link.node_id),
       freed as (update attachment set link_id = null where link_id in (select id from gone))
  select distinct account_id from gone`;
