import pg from 'pg';
import { USER } from './cluster.ts';

const OWNER_LOCK = 7717_0001;

export const connect = async (socket: string, database: string, name = 'agentworks'): Promise<pg.Client> => {
  const client = new pg.Client({
    host: socket,
    user: USER,
    database,
    application_name: name,
    connectionTimeoutMillis: 5_000,
  });
  client.on('error', () => {}); // Whoever queries hears of it; whoever waits listens for the end.
  await client.connect();
  return client;
};

/** `nobody` listens; or it is there and `busy` with starting, recovering or stopping; or here is a client. */
export async function knock(socket: string, name: string): Promise<pg.Client | 'nobody' | 'busy'> {
  try {
    return await connect(socket, 'postgres', name);
  } catch (error) {
    return ['ENOENT', 'ECONNREFUSED', 'ENOTSOCK'].includes((error as NodeJS.ErrnoException).code ?? '')
      ? 'nobody'
      : 'busy';
  }
}

/** The cluster has one owner: the server whose session holds this lock. Answers who that is when it is not this one. */
export async function own(client: pg.Client): Promise<{ owned: true } | { owned: false; owner: string }> {
  const { rows } = await client.query<{ owned: boolean }>('select pg_try_advisory_lock($1) as owned', [OWNER_LOCK]);
  if (rows[0]?.owned === true) return { owned: true };
  const holder = await client.query<{ name: string }>(
    `select a.application_name as name from pg_locks l join pg_stat_activity a using (pid)
      where l.locktype = 'advisory' and l.objid = $1 and l.granted`,
    [OWNER_LOCK],
  );
  return { owned: false, owner: holder.rows[0]?.name ?? '' };
}

/** How the owner is called in the database, so that a second server can say who serves, and where. */
export const ownerName = (url: string): string => `agentworks ${process.pid} ${url}`;

export function describeOwner(name: string): string {
  const [, pid, url] = /^agentworks (\d+) (.*)$/.exec(name) ?? [];
  return pid === undefined ? 'another server' : `the server with pid ${pid}${url === '' ? '' : ` at ${url}`}`;
}
