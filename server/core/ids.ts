import { randomFillSync } from 'node:crypto';

const LETTERS = '0123456789abcdefghjkmnpqrstvwxyz';
const pool = new Uint8Array(4096);
let used = pool.length;

type Kind = 'acc' | 'con' | 'agt' | 'msg' | 'inb' | 'cnv' | 'att' | 'nod' | 'lnk' | 'sub' | 'epo';

/**
 * `msg_` and 26 letters: ten of time, sixteen of chance. Ids of one moment lie together in an index, which keeps inserts
 * on the same pages; nothing orders by them.
 */
export function newId(kind: Kind, now = Date.now()): string {
  let time = '';
  for (let left = now, i = 0; i < 10; i++, left = Math.floor(left / 32)) time = LETTERS[left % 32]! + time;
  if (used + 16 > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  let chance = '';
  for (let i = 0; i < 16; i++) chance += LETTERS[pool[used++]! & 31]!;
  return `${kind}_${time}${chance}`;
}
