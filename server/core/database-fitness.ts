import type pg from 'pg';
import { openClient, type Where } from './database.ts';
import { StartRefusal } from './start-refusal.ts';

const OLDEST = 140_000;

/** Whether a PostgreSQL that is not ours keeps what AgentWorks promises (OPS-1a). */
export async function refuseUnfitDatabase(where: Where, open: (where: Where) => pg.Client = openClient): Promise<void> {
  const [first, second] = [open(where), open(where)];
  for (const client of [first, second]) client.on('error', () => {});
  try {
    await first.connect();
    await second.connect();
    await refusePooler(first, second);
    const { rows } = await first.query<Facts>(
      `select current_setting('server_version_num')::int as version, current_setting('server_encoding') as encoding,
              current_setting('fsync') = 'on' as fsync, current_setting('full_page_writes') = 'on' as pages,
              pg_is_in_recovery() as standby`,
    );
    const wrong = wrongWith(rows[0]!);
    if (wrong !== undefined) throw new StartRefusal(`the PostgreSQL of DATABASE_URL ${wrong}`, 2);
  } catch (error) {
    if (error instanceof StartRefusal) throw error;
    throw new StartRefusal(
      `the PostgreSQL of DATABASE_URL (${where.host}, database ${where.database}) cannot be used: ${(error as Error).message || (error as { code?: string }).code}`,
    );
  } finally {
    await Promise.allSettled([first.end(), second.end()]);
  }
}

interface Facts {
  readonly version: number;
  readonly encoding: string;
  readonly fsync: boolean;
  readonly pages: boolean;
  readonly standby: boolean;
}

function wrongWith({ version, encoding, fsync, pages, standby }: Facts): string | undefined {
  if (version < OLDEST) return `is version ${Math.floor(version / 10_000)}; it must be ${OLDEST / 10_000} or newer`;
  if (encoding !== 'UTF8') return `has the encoding ${encoding}; make the database with encoding UTF8`;
  if (!fsync) return 'runs with fsync=off, so a power cut loses messages that were answered as stored; turn it on';
  if (!pages) return 'runs with full_page_writes=off, so a power cut can damage what is stored; turn it on';
  if (standby) return 'is a standby, which takes no writes; name the primary';
  return undefined;
}

/**
 * Two sessions that are open at once have two processes. Behind a pooler that lends one for the length of a transaction
 * they have the same, and LISTEN and session locks are lost between two statements.
 */
async function refusePooler(first: pg.Client, second: pg.Client): Promise<void> {
  if ((await processOf(first)) === (await processOf(second)))
    throw new StartRefusal(
      'DATABASE_URL leads through a pooler that keeps no sessions, such as PgBouncer in transaction mode; name PostgreSQL itself, or a pool in session mode',
      2,
    );
}

async function processOf(client: pg.Client): Promise<number | undefined> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]?.pid;
}
