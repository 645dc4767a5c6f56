import { configFile, readSignIn, type SignIn } from '../../bridge/account/config.ts';
import { keeperOf, secretOf } from '../../bridge/account/credentials.ts';
import { findKeyring } from '../../bridge/account/keyring.ts';
import { findLocalServer, type LocalServer } from '../../bridge/account/local-server.ts';
import type { Io } from '../context.ts';
import { type Check, fail, failed, ok, warn } from './check.ts';

const NODE = [22, 18] as const;

export function checkNode(version = process.versions.node): Check {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > NODE[0] || (major === NODE[0] && minor >= NODE[1])
    ? ok('node', version)
    : fail('node', version, `Install Node 24; ${NODE.join('.')} is the oldest that works.`);
}

export function checkConfig(io: Io, named: string | undefined): { check: Check; signIn?: SignIn } {
  try {
    const file = configFile(io.env, named);
    const signIn = readSignIn(file);
    if (signIn === undefined)
      return { check: warn('config', `not signed in (${file} is not there)`, 'Sign in with: agentworks login') };
    return { check: ok('config', `${file}, connection ${signIn.connectionId ?? 'unknown'}`), signIn };
  } catch (error) {
    return { check: failed('config', error) };
  }
}

/** The data folder, `server.json`, and the socket's owner and mode. */
export function checkLocalServer(data: string): { check: Check; server?: LocalServer } {
  try {
    const server = findLocalServer(data);
    if (!runs(server.pid)) {
      const found = `server.json is left from pid ${server.pid} that no longer runs`;
      return { check: fail('server', found, 'Start the server: agentworks server') };
    }
    return { check: ok('server', `pid ${server.pid} on ${data}, also at ${server.url}`), server };
  } catch (error) {
    return { check: failed('server', error) };
  }
}

function runs(pid: number): boolean {
  try {
    // Whoever runs the server is this user, so that every other answer than "no such process" means it is there.
    return Number.isInteger(pid) && pid > 0 && process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/** Other database, same folder: restored from a backup, or made anew. */
export function checkEpoch(signIn: SignIn, server: LocalServer): Check[] {
  if (signIn.epoch === undefined || signIn.epoch === server.epoch) return [];
  const found = `the sign-in is from ${signIn.epoch}, the server's database is ${server.epoch}`;
  return [warn('database', found, 'It was restored or made anew. If you are signed out: agentworks login')];
}

export async function checkSecret(io: Io, signIn: SignIn): Promise<{ check: Check; secret?: string }> {
  try {
    const secret = await secretOf(io.env, signIn);
    if (keeperOf(signIn) === 'keyring') return { check: ok('secret', "in the system's keyring"), secret };
    const hasKeyring = (await findKeyring(io.env)) !== undefined;
    const found = 'in the config file, which only you can read';
    return { check: ok('secret', hasKeyring ? found : `${found} (no keyring here that could be unlocked)`), secret };
  } catch (error) {
    return { check: failed('secret', error) };
  }
}
