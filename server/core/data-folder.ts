import { randomBytes } from 'node:crypto';
import { chmodSync, linkSync, lstatSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { makeFolder } from './make-folder.ts';
import { socketFolder } from './socket-folder.ts';
import { StartRefusal } from './start-refusal.ts';

/** What tells our folder from one with other things in it. */
const MARKS = new Set(['postgres', 'login-key', 'server.json']);

/** Makes the folder, or sees that it is ours and closed to all others: whoever gets in there owns every account. */
export function openDataFolder(folder: string): void {
  try {
    makeFolder(folder);
    const found = lstatSync(folder);
    const us = process.getuid?.() ?? found.uid;
    if (found.uid !== us) throw refuse(folder, `belongs to user ${found.uid}, and this server runs as user ${us}`);
    if ((found.mode & 0o077) === 0) return;
    const inside = readdirSync(folder);
    if (inside.length > 0 && !inside.some((name) => MARKS.has(name)))
      throw refuse(folder, 'holds other things, and other users may enter it');
    chmodSync(folder, 0o700);
  } catch (error) {
    if (error instanceof StartRefusal) throw error;
    throw refuse(folder, `cannot be used (${(error as NodeJS.ErrnoException).code})`);
  }
}

const refuse = (folder: string, what: string) =>
  new StartRefusal(`the data folder ${folder} ${what}; set AGENTWORKS_DATA to a folder of this user alone`, 2);

/** Whoever can read this file owns the server's accounts. Made once, by whichever of two starts comes first. */
export function readLoginKey(folder: string): string {
  const file = join(folder, 'login-key');
  const fresh = `${file}.${process.pid}`;
  writeFileSync(fresh, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flush: true });
  try {
    linkSync(fresh, file); // Fails where there is one, which a rename would replace.
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(fresh, { force: true });
  }
  const { uid, mode } = lstatSync(file);
  if ((mode & 0o077) !== 0 || uid !== (process.getuid?.() ?? uid))
    throw new StartRefusal(`${file} can be read by others; remove it, and the server makes another`);
  return readFileSync(file, 'utf8').trim();
}

/** What a running server says of itself, for the command line and the bridge of the same user. */
export interface ServerFile {
  readonly version: string;
  readonly pid: number;
  readonly epoch: string;
  readonly url: string;
  readonly socket: string;
}

/** Answers how to take it back. */
export function writeServerFile(folder: string, server: ServerFile): () => void {
  const file = join(folder, 'server.json');
  const fresh = `${file}.${server.pid}`;
  writeFileSync(fresh, `${JSON.stringify(server, undefined, 2)}\n`, { mode: 0o600 });
  renameSync(fresh, file);
  return () => {
    // One that came after us on the same folder has written its own.
    try {
      if ((JSON.parse(readFileSync(file, 'utf8')) as ServerFile).socket === server.socket) rmSync(file);
    } catch {
      // Somebody removed it already.
    }
  };
}

/** A free path for the private socket: one that a killed server left is removed, one that answers is let be. */
export async function privateSocket(folder: string): Promise<string> {
  const path = join(await socketFolder(folder, `server-${process.pid}-000000.sock`), 'server.sock');
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return path;
  // Two servers over one DATABASE_URL may share a data folder.
  if (await answers(path))
    return path.replace(/server\.sock$/, `server-${process.pid}-${randomBytes(3).toString('hex')}.sock`);
  rmSync(path, { force: true });
  return path;
}

const answers = (path: string): Promise<boolean> =>
  new Promise((done) => {
    const socket = connect(path, () => {
      socket.destroy();
      done(true);
    }).on('error', () => done(false));
  });
