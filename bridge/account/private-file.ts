import { constants, closeSync, fstatSync, lstatSync, openSync, readFileSync, type Stats } from 'node:fs';
import { Refusal } from '../client/refusal.ts';

/** Nothing we keep here is longer. */
const MAX_BYTES = 64 * 1024;

const me = process.getuid?.();

/** The text of a file that is ours alone; undefined when there is none. Refuses anything that others could have written or read. */
export function readPrivateFile(path: string): string | undefined {
  const file = open(path);
  if (file === undefined) return undefined;
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) throw unsafe(path, 'is not a plain file', `Move it away`);
    checkOwner(path, stats);
    if (isLoose(stats)) throw unsafe(path, `can be read by others (mode ${mode(stats)})`, `Run: chmod 600 ${path}`);
    if (stats.size > MAX_BYTES) throw unsafe(path, 'is too large to be ours', 'Move it away');
    return readFileSync(file, 'utf8');
  } finally {
    closeSync(file);
  }
}

function open(path: string): number | undefined {
  try {
    // No following of a link, and no waiting for whoever is at the other end of a FIFO.
    return openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    if (code === 'ELOOP') throw unsafe(path, 'is a symbolic link', 'Name the file itself, or remove the link');
    if (code === 'EACCES' || code === 'EPERM') throw unsafe(path, 'cannot be read by you', 'Name another one');
    throw error;
  }
}

/** Refuses a folder that others could look into or put things into. */
export function checkPrivateFolder(path: string): void {
  const stats = lstatSync(path);
  if (!stats.isDirectory()) throw unsafe(path, 'is not a folder', 'Name the folder itself, not a link to it');
  checkOwner(path, stats);
  if (isLoose(stats)) throw unsafe(path, `is open to others (mode ${mode(stats)})`, `Run: chmod 700 ${path}`);
}

/** Refuses a socket that others could connect to or could have put there. */
export function checkPrivateSocket(path: string): void {
  const stats = lstatSync(path);
  if (!stats.isSocket()) throw unsafe(path, 'is not a socket', 'Start the server anew');
  checkOwner(path, stats);
  if (isLoose(stats)) throw unsafe(path, `is open to others (mode ${mode(stats)})`, 'Start the server anew');
}

function checkOwner(path: string, stats: Stats): void {
  if (me !== undefined && stats.uid !== me)
    throw unsafe(path, `belongs to user ${stats.uid}, and you are user ${me}`, 'Use one of your own');
}

/** Windows keeps no such bits; its user folders are private already. */
const isLoose = (stats: Stats): boolean => me !== undefined && (stats.mode & 0o077) !== 0;

const mode = (stats: Stats): string => (stats.mode & 0o777).toString(8).padStart(4, '0');

/** What was found, and what to do about it. */
export const unsafe = (path: string, found: string, remedy: string): Refusal =>
  new Refusal('NOT_ALLOWED', `${path} ${found}, so it is not used. ${remedy}.`, { subject: path });
