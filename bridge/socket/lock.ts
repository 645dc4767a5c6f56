import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as later } from 'node:timers/promises';
import { unsafe } from '../account/private-file.ts';
import { Refusal } from '../client/refusal.ts';
import { findBridge } from './find.ts';
import type { Where } from './where.ts';

const WAIT_MS = 10_000;
const LOOK_MS = 50;

interface Lock {
  release(): void;
}

/** The lock, as soon as a bridge that is ending or was killed has let it go; undefined when another one answers. */
export async function waitForLock(where: Where, waitMs = WAIT_MS): Promise<Lock | undefined> {
  for (const until = Date.now() + waitMs; ; await later(LOOK_MS)) {
    const lock = takeLock(where.folder);
    if (lock !== undefined) return lock;
    if ((await findBridge(where)) !== undefined) return undefined;
    if (Date.now() > until) {
      const sentence = `Another process holds ${where.folder} and does not answer. Find it with: fuser ${join(where.folder, 'lock')}`;
      throw new Refusal('UNAVAILABLE', sentence, { subject: where.folder });
    }
  }
}

/**
 * Held for the life of a bridge, and let go by the operating system however it ends: whoever holds it may take away the
 * socket of a predecessor. Node has no file lock of its own; SQLite's is one. Undefined when another bridge holds it.
 */
export function takeLock(folder: string): Lock | undefined {
  const file = join(folder, 'lock');
  if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true)
    throw unsafe(file, 'is a symbolic link', 'Remove it');
  const before = process.umask(0o177);
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file, { timeout: 0 });
    database.exec('pragma locking_mode = exclusive; begin exclusive');
    return { release: () => database?.close() };
  } catch (error) {
    database?.close();
    if (isBusy(error)) return undefined;
    throw error;
  } finally {
    process.umask(before);
  }
}

/** SQLITE_BUSY, or SQLITE_LOCKED within one process. */
const isBusy = (error: unknown): boolean => {
  const { errcode } = error as { errcode?: number };
  return errcode !== undefined && [5, 6].includes(errcode & 0xff);
};
