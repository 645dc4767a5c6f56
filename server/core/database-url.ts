import type { Where } from './database.ts';

/**
 * What pg and psql read too: `postgresql://user:password@host:port/database`, `?host=/folder` for a Unix socket, and
 * `sslmode`. Parsed here, since MikroORM refuses the form with a socket. Its errors complete the sentence "DATABASE_URL …".
 */
export function parseDatabaseUrl(text: string): Where {
  // A URL without a host before the path is no URL to the parser; the name is dropped again below.
  const url = toUrl(text.replace(/^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)(?=[/?]|$)/i, `$1${NO_HOST}`));
  if (url === undefined || !/^postgres(ql)?:$/.test(url.protocol))
    throw new Error('is not a PostgreSQL URL, such as postgresql://user:password@host/database');
  const named = url.hostname === NO_HOST ? '' : decodeURIComponent(url.hostname).replace(/^\[(.*)\]$/, '$1');
  const host = url.searchParams.get('host') ?? (named || 'localhost');
  const user = decodeURIComponent(url.username) || url.searchParams.get('user') || '';
  const database = decodeURIComponent(url.pathname.slice(1)) || url.searchParams.get('dbname') || user;
  if (user === '' || database === '')
    throw new Error('names no user or no database; write postgresql://user:password@host/database');
  const port = Number(url.port || url.searchParams.get('port') || 5432);
  const password = decodeURIComponent(url.password) || url.searchParams.get('password') || '';
  const ssl = encryption(url.searchParams.get('sslmode') ?? url.searchParams.get('ssl') ?? 'disable');
  for (const name of url.searchParams.keys())
    if (!understood.has(name)) throw new Error(`has "${name}", which is not understood here; leave it out`);
  return { host, port, user, database, ...(password === '' ? {} : { password }), ...(ssl ? { ssl } : {}) };
}

const NO_HOST = 'no-host.invalid';
const understood = new Set(['host', 'port', 'user', 'dbname', 'password', 'sslmode', 'ssl', 'application_name']);

function toUrl(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}

/** `prefer` and its like fall back to no encryption without a word, which is worse than asking. */
function encryption(mode: string): boolean {
  if (['disable', 'false', '0'].includes(mode)) return false;
  if (['require', 'verify-ca', 'verify-full', 'true', '1'].includes(mode)) return true;
  throw new Error(`has sslmode=${mode}; it may be disable, require or verify-full`);
}
