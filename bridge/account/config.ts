import { randomUUID } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { readPrivateFile, unsafe } from './private-file.ts';

/**
 * This computer's sign-in: which server issued it, and where its secret is. The server stands beside the secret on
 * purpose: nothing in the environment can send the one to another (ACC-9).
 */
export interface SignIn {
  /** `local` for the server of `data`, reached by its private socket; else the address. */
  readonly server: string;
  /** The local server's data folder. */
  readonly data?: string;
  /** The database the sign-in was issued from. */
  readonly epoch?: string;
  readonly accountName?: string;
  readonly connectionId?: string;
  /** Bearer secret; absent when the keyring holds it. */
  readonly secret?: string;
  /** The person asked by name that the secret may travel as plaintext. */
  readonly plaintext?: boolean;
}

type Env = Readonly<Record<string, string | undefined>>;

/** The config file in force; `named` is `--config`. */
export function configFile(env: Env, named?: string): string {
  const chosen = named ?? env['AGENTWORKS_CONFIG'];
  if (chosen !== undefined && chosen !== '') return outsideProjects(resolve(chosen));
  const home = env['XDG_CONFIG_HOME'] ?? join(env['HOME'] ?? homedir(), '.config');
  return join(home, 'agentworks', 'config.json');
}

/** A config inside a project is committed by accident, or was put there by whoever wrote the project. */
function outsideProjects(file: string): string {
  for (let folder = dirname(file); folder !== dirname(folder) && folder !== homedir(); folder = dirname(folder))
    if (['.git', '.hg', '.jj', '.svn'].some((mark) => existsSync(join(folder, mark))))
      throw unsafe(file, `lies inside the project ${folder}`, 'Keep it outside, as in ~/.config/agentworks');
  return file;
}

/** The sign-in kept in this file; undefined when there is none. */
export function readSignIn(file: string): SignIn | undefined {
  const text = readPrivateFile(file);
  if (text === undefined) return undefined;
  try {
    const read = JSON.parse(text) as SignIn;
    if (typeof read.server === 'string') return read;
  } catch {
    // Answered below: whatever is wrong with it, the remedy is the same.
  }
  throw unsafe(file, 'is no config of ours', 'Remove it and sign in again: agentworks login');
}

/** Keeps the sign-in in a file of ours alone, replaced in one step. Answers the file. */
export function writeSignIn(env: Env, signIn: SignIn, named?: string): string {
  const file = configFile(env, named);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true)
    throw unsafe(file, 'is a symbolic link', 'Name the file itself, or remove the link');
  const fresh = `${file}.${randomUUID()}`;
  writeFileSync(fresh, `${JSON.stringify(signIn, undefined, 2)}\n`, { mode: 0o600, flag: 'wx', flush: true });
  renameSync(fresh, file);
  return file;
}

export const removeSignIn = (file: string): void => rmSync(file, { force: true });
