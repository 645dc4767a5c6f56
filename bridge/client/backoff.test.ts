import { expect, test } from 'vitest';
import { backoffMs } from './backoff.ts';

test('BRG-3c the wait doubles with each failure and never passes 30 s', () => {
  const most = [1, 2, 3, 4, 12, 10_000].map((failures) => backoffMs(failures, () => 1));
  expect(most).toEqual([100, 200, 400, 800, 30_000, 30_000]);
});

test('BRG-3c half of the wait is chance, so that a thousand clients do not come back at once', () => {
  expect(backoffMs(5, () => 0)).toBe(800);
  expect(backoffMs(5, () => 1)).toBe(1_600);
});
