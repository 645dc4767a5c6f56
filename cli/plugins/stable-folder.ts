import { randomUUID } from 'node:crypto';
import { lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Refusal } from '../../bridge/client/index.ts';

/** A file of a plugin, by its path inside the plugin. */
export type Files = ReadonlyMap<string, Buffer | string>;

/** Every file below a folder that a package brought. */
export function filesBelow(folder: string): Map<string, Buffer> {
  const found = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const plain = found.filter((path) => lstatSync(join(folder, path)).isFile()).toSorted();
  return new Map(plain.map((path) => [path, readFileSync(join(folder, path))]));
}

/**
 * Makes a folder hold exactly these files, each replaced in one step: hosts read it while they run. It is ours, and a link
 * in its place, or in the place of anything in it, is not followed (PLG-4).
 */
export function writeFolder(folder: string, files: Files): void {
  ownFolder(folder);
  for (const [path, bytes] of files) {
    const file = join(folder, path);
    for (let up = dirname(file); up.length >= folder.length; up = dirname(up)) ownFolder(up);
    const fresh = `${file}.${randomUUID()}`;
    writeFileSync(fresh, bytes, { mode: path.startsWith('bin/') ? 0o700 : 0o600, flag: 'wx' });
    renameSync(fresh, file);
  }
  for (const path of filesBelow(folder).keys()) if (!files.has(path)) rmSync(join(folder, path));
}

export function removeFolder(folder: string): void {
  if (lstatSync(folder, { throwIfNoEntry: false }) === undefined) return;
  ownFolder(folder);
  rmSync(folder, { recursive: true });
  removeIfEmpty(dirname(folder));
}

export function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // Something else is in it.
  }
}

function ownFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const found = lstatSync(folder);
  if (found.isDirectory() && (process.getuid === undefined || found.uid === process.getuid())) return;
  throw new Refusal('NOT_ALLOWED', `${folder} is a link, or not yours, so nothing is written there. Move it away.`, {
    subject: folder,
  });
}
