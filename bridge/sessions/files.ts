import { constants, closeSync, fstatSync, lstatSync, openSync, readFileSync, readlinkSync, readdirSync } from 'node:fs';

/** No registration comes near it. */
const MAX_BYTES = 64 * 1024;

const me = process.getuid?.();

/** A small file that only this user, or root, could have written; undefined when it is not there, or not that. */
export function readOwn(path: string): string | undefined {
  let file: number | undefined;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const { mode, uid, size, isFile } = describe(file);
    if (!isFile || (uid !== me && me !== undefined) || (mode & 0o022) !== 0 || size > MAX_BYTES) return undefined;
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

function describe(file: number) {
  const stats = fstatSync(file);
  return { mode: stats.mode, uid: stats.uid, size: stats.size, isFile: stats.isFile() };
}

/** Why this path is no socket of this process that only this user can reach; empty when it is one. */
export function socketFault(path: string, folder: string, pid: number): string {
  try {
    const [inside, around] = [lstatSync(path), lstatSync(folder)];
    if (!inside.isSocket() || !around.isDirectory()) return 'its path is not a socket in a plain folder';
    if (me !== undefined && (inside.uid !== me || around.uid !== me)) return 'it belongs to another user';
    if ((inside.mode & 0o077) !== 0 || (around.mode & 0o077) !== 0) return 'others can reach it';
  } catch {
    return 'it is not there';
  }
  return process.platform === 'linux' && !listens(path, pid) ? 'another process listens on it' : '';
}

/** Flag of a listening socket in /proc/net/unix. */
const LISTENS = '00010000';

function listens(path: string, pid: number): boolean {
  try {
    const inodes = readFileSync(`/proc/${pid}/net/unix`, 'utf8')
      .split('\n')
      .map((line) => /^\S+ \S+ \S+ (\S+) \S+ \S+ +(\d+) (.+)$/.exec(line))
      .filter((found) => found?.[1] === LISTENS && found[3] === path)
      .map((found) => `socket:[${found![2]}]`);
    const folder = `/proc/${pid}/fd`;
    return inodes.length > 0 && readdirSync(folder).some((fd) => inodes.includes(linkAt(`${folder}/${fd}`)));
  } catch {
    return false;
  }
}

function linkAt(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
