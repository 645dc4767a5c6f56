import type { Face } from '../faces/face.ts';
import { positive, text } from '../options.ts';

export const afterOption = text('CURSOR', 'Go on from here: the cursor that the last page ended with');
export const pageSizeOption = positive('COUNT', 'At most this many a page, 1 to 100');

/** A list that ends early says so, and how to go on. */
export function sayMore(face: Face, nextCursor: string): void {
  if (nextCursor !== '') face.say(`There is more: --after ${nextCursor}`);
}
