import { Refusal } from '../client/refusal.ts';
import { isSecret } from '../client/secret.ts';
import { configFile, readSignIn, removeSignIn, type SignIn, writeSignIn } from './config.ts';
import { findKeyring, type Keyring } from './keyring.ts';

/** A sign-in as the server gave it. */
export interface Issued extends SignIn {
  readonly connectionId: string;
  readonly secret: string;
}

/** Where a secret lies: the one thing a person must know to judge how safe it is. */
export type Keeper = 'keyring' | 'file';

export interface Kept {
  readonly file: string;
  readonly keeper: Keeper;
}

type Env = Readonly<Record<string, string | undefined>>;

/** Keeps a sign-in: its secret in the keyring where there is one that works, else in the 0600 file. */
export async function keepSignIn(
  env: Env,
  issued: Issued,
  named?: string,
  find: (env: Env) => Promise<Keyring | undefined> = findKeyring,
): Promise<Kept> {
  const { secret: _, ...rest } = issued;
  const keyring = await find(env);
  if (keyring !== undefined && (await takes(keyring, issued)))
    return { file: writeSignIn(env, rest, named), keeper: 'keyring' };
  return { file: writeSignIn(env, issued, named), keeper: 'file' };
}

/** A keyring that takes a secret and does not give it back is none. */
async function takes(keyring: Keyring, { connectionId, secret }: Issued): Promise<boolean> {
  try {
    await keyring.put(connectionId, secret);
    return (await keyring.get(connectionId)) === secret;
  } catch {
    return false;
  }
}

export const keeperOf = (signIn: SignIn): Keeper => (signIn.secret === undefined ? 'keyring' : 'file');

/** The sign-in of this config, or what to do to get one. */
export function requireSignIn(env: Env, named?: string): { readonly file: string; readonly signIn: SignIn } {
  const file = configFile(env, named);
  const signIn = readSignIn(file);
  if (signIn !== undefined) return { file, signIn };
  throw new Refusal('SIGNED_OUT', `Not signed in (${file} is not there). Sign in with: agentworks login`, {
    subject: file,
  });
}

/** The secret of a sign-in, from wherever it lies. */
export async function secretOf(
  env: Env,
  signIn: SignIn,
  find: (env: Env) => Promise<Keyring | undefined> = findKeyring,
): Promise<string> {
  if (signIn.secret !== undefined) return signIn.secret;
  const keyring = await find(env);
  const secret = await keyring?.get(signIn.connectionId ?? '').catch(() => undefined);
  if (secret !== undefined && isSecret(secret)) return secret;
  const sentence = `The keyring does not give ${secret === undefined ? 'the' : 'a usable'} secret of ${signIn.connectionId}. Unlock it, or sign in again with: agentworks login`;
  throw new Refusal('SIGNED_OUT', sentence, { subject: signIn.connectionId ?? '' });
}

/** Forgets a sign-in on this computer. */
export async function forgetSignIn(
  env: Env,
  file: string,
  signIn: SignIn,
  find: (env: Env) => Promise<Keyring | undefined> = findKeyring,
): Promise<void> {
  if (signIn.secret === undefined) await (await find(env))?.remove(signIn.connectionId ?? '').catch(() => {});
  removeSignIn(file);
}
