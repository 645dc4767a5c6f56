import { randomUUID } from 'node:crypto';
import { existsSync, lstatSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { Refusal } from '../client/refusal.ts';
import { isSecret } from '../client/secret.ts';
import { makeFolder } from './make-folder.ts';
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
  const read = parse(text);
  if (!isSignIn(read)) throw unsafe(file, 'is no config of ours', 'Remove it and sign in again: agentworks login');
  if (read.secret === undefined || isSecret(read.secret)) return read;
  const sentence = `The secret in ${file} is not one of ours, so it is not used. Remove the file and sign in again: agentworks login`;
  throw new Refusal('NOT_ALLOWED', sentence, { subject: file });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const texts = ['data', 'epoch', 'accountName', 'connectionId', 'secret'] as const;

function isSignIn(read: unknown): read is SignIn {
  if (typeof read !== 'object' || read === null) return false;
  const { server, plaintext, ...rest } = read as { readonly [K in keyof SignIn]: unknown };
  return (
    typeof server === 'string' &&
    (server !== 'local' || (typeof rest.data === 'string' && isAbsolute(rest.data))) &&
    texts.every((name) => rest[name] === undefined || typeof rest[name] === 'string') &&
    (plaintext === undefined || typeof plaintext === 'boolean')
  );
}

/** Keeps the sign-in in a file of ours alone, replaced in one step. Answers the file. */
export function writeSignIn(env: Env, signIn: SignIn, named?: string): string {
  const file = configFile(env, named);
  renameSync(writeBeside(file, `${JSON.stringify(signIn, undefined, 2)}\n`), file);
  return file;
}

/** Refuses a config that could not be written, before anything is asked for that would have to be kept there. */
export const checkWritable = (file: string): void => rmSync(writeBeside(file, ''));

function writeBeside(file: string, text: string): string {
  const fresh = `${file}.${randomUUID()}`;
  try {
    makeFolder(dirname(file));
    const found = lstatSync(file, { throwIfNoEntry: false });
    if (found?.isSymbolicLink() === true)
      throw unsafe(file, 'is a symbolic link', 'Name the file itself, or remove the link');
    if (found?.isDirectory() === true) throw unsafe(file, 'is a folder', 'Name a file in it');
    writeFileSync(fresh, text, { mode: 0o600, flag: 'wx', flush: true });
    return fresh;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (error instanceof Refusal || code === undefined) throw error;
    if (existsSync(fresh)) rmSync(fresh);
    throw unsafe(file, `cannot be written (${code})`, 'Name another one with --config, or make room for it');
  }
}

export const removeSignIn = (file: string): void => rmSync(file, { force: true });
