import { statfsSync } from 'node:fs';

/** PostgreSQL ends itself when its log finds no room, and does not come back before there is some: we stop earlier. */
export const RESERVE_BYTES = 64 * 1024 * 1024;
const LOOK_MS = 200;

/** Whether the disk of a folder has more than the reserve. Asked for every batch, looked at five times a second. */
export function diskRoom(folder: string, free: (folder: string) => number = freeBytes): () => boolean {
  let looked = -Infinity;
  let hasRoom = true;
  return () => {
    const now = performance.now();
    if (now - looked < LOOK_MS) return hasRoom;
    looked = now;
    hasRoom = free(folder) > RESERVE_BYTES;
    return hasRoom;
  };
}

function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}
