import type pg from 'pg';

const nothing = { command: 'ROLLBACK', rowCount: 0, rows: [] };

/**
 * The query builder under the ORM keeps a connection for ever when its `begin` or its `rollback` fails, which is what
 * happens when PostgreSQL is restarted: ten such transactions, and the pool of ten answers nobody again (measured). A
 * rollback that cannot be sent has happened, since PostgreSQL rolls back what loses its connection; so it may succeed,
 * and the connection goes back to the pool, which throws it away. A failed `begin` gives its connection back here.
 */
export function mendPool(pool: pg.Pool): void {
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...all: unknown[]) => unknown;
    const mended = (...all: unknown[]): unknown => {
      const [text] = all;
      if (text === 'rollback') return (query(...all) as Promise<unknown>).catch(() => nothing);
      if (typeof text === 'string' && /^(begin|start transaction)\b/.test(text))
        return (query(...all) as Promise<unknown>).catch((error: unknown) => {
          client.release(true);
          throw error;
        });
      return query(...all);
    };
    Object.assign(client, { query: mended });
  });
}
