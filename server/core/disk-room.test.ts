import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { diskRoom, RESERVE_BYTES } from './disk-room.ts';

test('a disk with more than the reserve has room, and one with less has none', () => {
  expect(diskRoom('data', () => RESERVE_BYTES + 1)()).toBe(true);
  expect(diskRoom('data', () => RESERVE_BYTES)()).toBe(false);
});

test('the disk is not looked at for every question', () => {
  let looks = 0;
  const hasRoom = diskRoom('data', () => ++looks * RESERVE_BYTES * 2);
  for (let n = 0; n < 100; n++) hasRoom();
  expect(looks).toBeLessThan(5);
});

test('the disk of this computer can be looked at', () => {
  expect(typeof diskRoom(tmpdir())()).toBe('boolean');
});
