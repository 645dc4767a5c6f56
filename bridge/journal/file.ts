import { closeSync, constants, fchmodSync, fstatSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeFolder } from '../account/make-folder.ts';
import { checkPrivateFolder, unsafe } from '../account/private-file.ts';

const me = process.getuid?.();

/**
 * Makes sure, before SQLite looks at it, that nobody else could have written the journal or could read it: a 0600 file
 * of ours in a 0700 folder of ours. SQLite gives the files beside it the same mode.
 */
export function claimFile(path: string): void {
  makeFolder(dirname(path));
  checkPrivateFolder(dirname(path));
  if (check(path, constants.O_CREAT)) return;
  throw unsafe(path, 'is a symbolic link', 'Name the file itself, or remove the link');
}

/** What a bridge that was killed left beside the journal is believed as well. */
export function checkBeside(path: string): void {
  for (const beside of [`${path}-wal`, `${path}-shm`, `${path}-journal`])
    if (!check(beside, 0)) throw unsafe(beside, 'is a symbolic link', 'Remove the link');
}

/** False for a link. Throws what else is wrong with it. */
function check(path: string, create: number): boolean {
  let file: number;
  try {
    file = openSync(path, constants.O_RDWR | constants.O_NOFOLLOW | constants.O_NONBLOCK | create, 0o600);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ELOOP') return false;
    if (code === 'ENOENT') return true;
    if (code === 'EISDIR') throw unsafe(path, 'is not a plain file', 'Move it away');
    if (code === 'EACCES' || code === 'EPERM') throw unsafe(path, 'cannot be written by you', 'Use one of your own');
    throw error;
  }
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) throw unsafe(path, 'is not a plain file', 'Move it away');
    if (me !== undefined && stats.uid !== me)
      throw unsafe(path, `belongs to user ${stats.uid}, and you are user ${me}`, 'Use one of your own');
    // A strict umask may have taken bits of ours away.
    if (stats.size === 0 && create !== 0 && (stats.mode & 0o077) === 0) fchmodSync(file, 0o600);
    if (me !== undefined && (stats.mode & 0o077) !== 0)
      throw unsafe(path, `can be read by others (mode ${(stats.mode & 0o777).toString(8)})`, `Run: chmod 600 ${path}`);
  } finally {
    closeSync(file);
  }
  return true;
}
