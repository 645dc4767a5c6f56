import { homedir } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { Refusal } from '../client/refusal.ts';
import { checkPrivateFolder, checkPrivateSocket, readPrivateFile, unsafe } from './private-file.ts';

/** A server that runs on this computer, as it says of itself in `server.json`. */
export interface LocalServer {
  readonly version: string;
  readonly pid: number;
  readonly epoch: string;
  /** Where it answers everyone else. Our own clients send no credential there. */
  readonly url: string;
  /** Its private Unix socket. */
  readonly socket: string;
}

type Env = Readonly<Record<string, string | undefined>>;

/** The folder a local server keeps its data in. */
export function dataFolder(env: Env): string {
  const chosen = env['AGENTWORKS_DATA'];
  if (chosen !== undefined && chosen !== '') return resolve(chosen);
  return join(env['XDG_DATA_HOME'] ?? join(env['HOME'] ?? homedir(), '.local', 'share'), 'agentworks');
}

/**
 * The server of this data folder, after proof that nobody but us could have put it there. Only its socket is ever
 * spoken to: a TCP port proves nothing about who listens on it.
 */
export function findLocalServer(data: string): LocalServer {
  const server = readServer(data);
  checkLocalSocket(server.socket, data);
  return server;
}

/** Refuses a socket that anybody else could listen on. `where` is named when there is none. */
export function checkLocalSocket(socket: string, where = socket): void {
  try {
    checkPrivateFolder(dirname(socket));
    checkPrivateSocket(socket);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw notRunning(where);
    throw error;
  }
}

function readServer(data: string): LocalServer {
  const file = join(data, 'server.json');
  const text = inFolder(data, file);
  if (text === undefined) throw notRunning(data);
  try {
    const server = JSON.parse(text) as LocalServer;
    if (typeof server.epoch === 'string' && isAbsolute(server.socket)) return server;
  } catch {
    // Answered below: whatever is wrong with it, the remedy is the same.
  }
  throw unsafe(file, 'cannot be understood', 'Start the server anew: agentworks server');
}

/** What proves to the server that we can read its data folder. */
export function readLoginKey(data: string): string {
  const key = inFolder(data, join(data, 'login-key'));
  if (key === undefined) throw notRunning(data);
  return key.trim();
}

function inFolder(data: string, file: string): string | undefined {
  try {
    checkPrivateFolder(data);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  return readPrivateFile(file);
}

const notRunning = (data: string): Refusal =>
  new Refusal('UNAVAILABLE', `No server is running on ${data}. Start it with: agentworks server`, { subject: data });
