import { lstatSync, readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import type { Where } from './where.ts';

/** Cleaners of temporary folders take what nobody has touched for days. */
const TOUCH_MS = 60 * 60 * 1_000;

/**
 * Keeps the bridge's folder from being cleaned away, and tells once when it was all the same: nobody can reach the bridge
 * then, and its lock holds nobody off.
 */
export function keepPlace(where: Where, onGone: () => void, touchMs = TOUCH_MS): { stop(): void } {
  const lock = join(where.folder, 'lock');
  const before = [lock, where.socket].map(inodeOf);
  const timer = setInterval(() => {
    if ([lock, where.socket].some((path, at) => inodeOf(path) !== before[at])) {
      clearInterval(timer);
      return onGone();
    }
    for (const path of [lock, where.folder, where.attached, ...markers(where.attached)]) touch(path);
  }, touchMs);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}

const inodeOf = (path: string): number | undefined => lstatSync(path, { throwIfNoEntry: false })?.ino;

const markers = (folder: string): string[] => readdirSync(folder).map((name) => join(folder, name));

function touch(path: string): void {
  const now = new Date();
  try {
    utimesSync(path, now, now);
  } catch {
    // A marker went while we looked.
  }
}
