import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** Makes a folder of ours alone, and those above it. Node's own way never ends where no folder can be made, as in /proc. */
export function makeFolder(folder: string): void {
  if (isFolder(folder)) return;
  if (statSync(dirname(folder), { throwIfNoEntry: false }) === undefined) makeFolder(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Somebody may have made it meanwhile.
    if (!isFolder(folder)) throw error;
  }
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
