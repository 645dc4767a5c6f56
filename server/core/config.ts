import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Address, isLoopback, readAddress } from './address.ts';
import { parseDatabaseUrl } from './database-url.ts';
import type { Where } from './database.ts';
import { limits } from './limits.ts';
import { nearNames } from './near.ts';
import { StartRefusal } from './start-refusal.ts';

/** What the server is told from outside, read once. */
export interface Config {
  readonly data: string;
  readonly address: Address;
  readonly database: Where | undefined;
  readonly logLevel: string;
  readonly tls: { readonly cert: string; readonly key: string } | undefined;
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
  readonly trustedProxy: boolean;
  readonly publicUrl: string | undefined;
  readonly hops: number;
  readonly wakesPerPair: number;
  readonly wakesPerAccount: number;
}

/** One variable of the environment: its default, in words where it depends, why it is there, and how it is read. */
interface Setting<T> {
  readonly default: string;
  readonly why: string;
  readonly read: (text: string | undefined, env: NodeJS.ProcessEnv) => T;
}

const setting = <T>(standard: string, why: string, read: Setting<T>['read']): Setting<T> => ({
  default: standard,
  why,
  read,
});
const count = (standard: number, why: string) =>
  setting(String(standard), why, (text) => whole(text ?? String(standard)));
const list = (why: string, example: string, fits: (entry: string) => boolean) =>
  setting('none', why, (text) =>
    entries(text).map((entry) =>
      fits(entry) ? entry.toLowerCase() : wrong(`holds "${entry}", which is not like ${example}`),
    ),
  );

/** Every setting. `agentworks doctor` and the documentation print this table. */
export const settings = {
  AGENTWORKS_DATA: setting(
    '$XDG_DATA_HOME/agentworks, else ~/.local/share/agentworks',
    'folder of the embedded database, the login key and the private socket; only its owner may enter it',
    (text, env) => resolve(text ?? join(env['XDG_DATA_HOME'] || join(homedir(), '.local', 'share'), 'agentworks')),
  ),
  AGENTWORKS_ADDRESS: setting(
    '127.0.0.1:7717',
    'host and port to listen on; anything but loopback needs TLS or a trusted proxy in front',
    (text) => readAddress(text ?? '127.0.0.1:7717') ?? wrong('is not host:port, such as 127.0.0.1:7717 or [::1]:7717'),
  ),
  DATABASE_URL: setting('embedded', 'a PostgreSQL of yours, as postgresql://user:password@host/database', (text) =>
    text === undefined ? undefined : parseDatabaseUrl(text),
  ),
  AGENTWORKS_LOG_LEVEL: setting(
    'info; at a terminal warn',
    'which events are logged: fatal, error, warn, info, debug, trace or silent',
    // A person at a terminal is told in sentences; whoever collects logs gets every event.
    (text) =>
      oneOf(text ?? (process.stderr.isTTY ? 'warn' : 'info'), [
        'fatal',
        'error',
        'warn',
        'info',
        'debug',
        'trace',
        'silent',
      ]),
  ),
  AGENTWORKS_TLS_CERT: setting('none', 'PEM file of the certificate and its chain', readFile),
  AGENTWORKS_TLS_KEY: setting('none', 'PEM file of its private key', readFile),
  AGENTWORKS_ALLOWED_HOSTS: list(
    'names, beside loopback and the address, that a request may be addressed to, separated by commas',
    'agents.example.com',
    (entry) => /^[a-z0-9._-]+$|^\[[0-9a-f:.]+\]$/i.test(entry),
  ),
  AGENTWORKS_ALLOWED_ORIGINS: list(
    "origins of web pages, beside the server's own, that may call it, separated by commas",
    'https://app.example.com',
    (entry) => URL.canParse(entry) && new URL(entry).origin === entry.toLowerCase(),
  ),
  AGENTWORKS_TRUSTED_PROXY: setting(
    '0',
    '1 when a proxy that speaks TLS stands in front and nobody else can reach the port',
    (text) => oneOf(text ?? '0', ['0', '1']) === '1',
  ),
  AGENTWORKS_PUBLIC_URL: setting(
    "the server's own address",
    'where people and programs elsewhere reach this server; sign-in pages and OAuth say it, whatever a request says',
    (text) => (text === undefined ? undefined : origin(text)),
  ),
  AGENTWORKS_HOPS: count(limits.hops.max, limits.hops.why),
  AGENTWORKS_WAKES_PER_PAIR: count(limits.wakesPerPair.max, limits.wakesPerPair.why),
  AGENTWORKS_WAKES_PER_ACCOUNT: count(limits.wakesPerAccount.max, limits.wakesPerAccount.why),
} as const;

type Name = keyof typeof settings;

/** Read by the command line and by tests, in the same environment as ours. */
const notOurs = new Set(['AGENTWORKS_CONFIG', 'AGENTWORKS_KEYRING', 'AGENTWORKS_CRASH_POINT']);

export function readConfig(env: NodeJS.ProcessEnv): Config {
  for (const name of Object.keys(env))
    if (name.startsWith('AGENTWORKS_') && !(name in settings) && !notOurs.has(name)) throw unknown(name);
  const read = <N extends Name>(name: N) => {
    try {
      // An empty variable is one that somebody wanted to be without.
      return settings[name].read(env[name] || undefined, env) as ReturnType<(typeof settings)[N]['read']>;
    } catch (error) {
      throw new StartRefusal(`${name} ${(error as Error).message}`, 2);
    }
  };
  const cert = read('AGENTWORKS_TLS_CERT');
  const key = read('AGENTWORKS_TLS_KEY');
  if ((cert === undefined) !== (key === undefined))
    throw new StartRefusal('AGENTWORKS_TLS_CERT and AGENTWORKS_TLS_KEY go together; set both or neither', 2);
  const config: Config = {
    data: read('AGENTWORKS_DATA'),
    address: read('AGENTWORKS_ADDRESS'),
    database: read('DATABASE_URL'),
    logLevel: read('AGENTWORKS_LOG_LEVEL'),
    tls: cert === undefined || key === undefined ? undefined : { cert, key },
    allowedHosts: read('AGENTWORKS_ALLOWED_HOSTS'),
    allowedOrigins: read('AGENTWORKS_ALLOWED_ORIGINS'),
    trustedProxy: read('AGENTWORKS_TRUSTED_PROXY'),
    publicUrl: read('AGENTWORKS_PUBLIC_URL'),
    hops: read('AGENTWORKS_HOPS'),
    wakesPerPair: read('AGENTWORKS_WAKES_PER_PAIR'),
    wakesPerAccount: read('AGENTWORKS_WAKES_PER_ACCOUNT'),
  };
  if (!isLoopback(config.address.host) && config.tls === undefined && !config.trustedProxy)
    throw new StartRefusal(
      `AGENTWORKS_ADDRESS is ${config.address.host}, which others can reach, and credentials would travel unencrypted; set AGENTWORKS_TLS_CERT and AGENTWORKS_TLS_KEY, or AGENTWORKS_TRUSTED_PROXY=1 behind a proxy that speaks TLS`,
      2,
    );
  return config;
}

function unknown(name: string): StartRefusal {
  const near = nearNames(name, Object.keys(settings));
  const known =
    near.length > 0 ? `did you mean ${near.join(' or ')}?` : `the settings are ${Object.keys(settings).join(', ')}`;
  return new StartRefusal(`${name} is not a setting; ${known}`, 2);
}

/** Completes the sentence that begins with the setting's name. */
function wrong(what: string): never {
  throw new Error(what);
}

const entries = (text = ''): string[] =>
  text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');

function oneOf(text: string, words: readonly string[]): string {
  return words.includes(text) ? text : wrong(`is "${text}"; it may be ${words.join(', ')}`);
}

function origin(text: string): string {
  const url = URL.parse(text);
  if (url === null || url.origin !== text.toLowerCase().replace(/\/$/, ''))
    return wrong(`is "${text}"; it must be an origin, such as https://agents.example.com`);
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname.replace(/^\[|\]$/g, ''))))
    return url.origin;
  return wrong(`is "${text}"; whoever is not on this computer needs https`);
}

function whole(text: string): number {
  return /^\d{1,9}$/.test(text) ? Number(text) : wrong(`is "${text}"; it must be a whole number from 0 to 999,999,999`);
}

function readFile(path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    return wrong(`names ${path}, which cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}
