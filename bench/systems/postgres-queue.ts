import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { startPostgres } from '../../server/core/postgres.ts';
import type { System } from '../system.ts';

/** What many build first: a table, a NOTIFY in the transaction that inserts, and a SELECT by cursor on each. */
export const postgresQueue: System = {
  name: 'floor: PostgreSQL queue with NOTIFY',
  durability: 'commit of each message, synchronous_commit=on',
  async start(folder) {
    const postgres = await startPostgres(folder);
    const where = { host: postgres.socket, user: 'agentworks', database: 'postgres' };
    const admin = new pg.Client(where);
    await admin.connect();
    await admin.query(
      `create table message(seq bigint generated always as identity primary key, inbox text not null,
                            submission text not null unique, body text not null);
       create index on message(inbox, seq)`,
    );
    await admin.end();
    return {
      pids: [postgres.pid],
      senders: { 'a statement each': async (inFlight) => sending(where, inFlight) },
      receiver: (name, onBody) => receiving(where, name, onBody),
      stop: () => postgres.stop(),
    };
  },
};

function sending(where: pg.ClientConfig, inFlight: number) {
  const pool = new pg.Pool({ ...where, max: Math.min(inFlight, 32) });
  // The database stops before its pool has quite ended.
  pool.on('error', () => {});
  const run = randomUUID().slice(0, 8);
  let count = 0;
  return {
    send: (recipient: string, body: string) =>
      pool.query({
        name: 'send',
        text: `with stored as (insert into message(inbox, submission, body) values ($1, $2, $3) returning seq)
               select pg_notify('inbox_' || $1, seq::text) from stored`,
        values: [recipient, `${run}-${count++}`, body],
      }),
    close: () => pool.end(),
  };
}

const PAGE = 200;

async function receiving(where: pg.ClientConfig, name: string, onBody: (body: string) => void) {
  const client = new pg.Client(where);
  client.on('error', () => {});
  await client.connect();
  let after = '0';
  let reading: Promise<void> | undefined;
  let isStale = false;
  const read = async () => {
    do {
      isStale = false;
      const { rows } = await client.query<{ seq: string; body: string }>({
        name: 'read',
        text: `select seq, body from message where inbox = $1 and seq > $2 order by seq limit ${PAGE}`,
        values: [name, after],
      });
      for (const { seq, body } of rows) {
        after = seq;
        onBody(body);
      }
      if (rows.length === PAGE) isStale = true;
    } while (isStale);
    reading = undefined;
  };
  client.on('notification', () => {
    isStale = true;
    reading ??= read().catch(() => {});
  });
  await client.query(`listen "inbox_${name}"`);
  return { close: () => void client.end().catch(() => {}) };
}
