import { setTimeout as wait } from 'node:timers/promises';

const FIRST_MS = 100;
const MOST_MS = 30_000;

/** How long to wait before the attempt after `failures` failures in a row: doubled each time, half of it by chance. */
export function backoffMs(failures: number, chance: () => number = Math.random): number {
  const ceiling = Math.min(MOST_MS, FIRST_MS * 2 ** (failures - 1));
  return ceiling / 2 + (ceiling / 2) * chance();
}

/** Ends early, without complaint, when the signal says so. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  await wait(ms, undefined, signal === undefined ? {} : { signal }).catch(() => {});
}
