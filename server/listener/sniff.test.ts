import type { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { afterEach, expect, test, vi } from 'vitest';
import { sniff } from './sniff.ts';

afterEach(() => {
  vi.useRealTimers();
});

/** Sends the pieces one by one. Answers what was found after each, and what is left to read. */
async function sniffed(...pieces: string[]) {
  const socket = new PassThrough();
  const found: string[] = [];
  sniff(socket as unknown as Socket, (protocol) => found.push(protocol));
  const after: (string | undefined)[] = [];
  for (const piece of pieces) {
    socket.write(piece);
    await new Promise((next) => setImmediate(next));
    after.push(found[0]);
  }
  socket.pause();
  return { after, left: String(socket.read() ?? ''), times: found.length };
}

test('HTTP/2 is known by its whole preface, and by nothing less', async () => {
  const { after, left, times } = await sniffed('P', 'RI', ' * HTTP/2', '.0');
  expect(after).toEqual([undefined, undefined, undefined, 'h2']);
  expect(left).toBe('PRI * HTTP/2.0');
  expect(times).toBe(1);
});

test('HTTP/1.1 is known by the first letter that differs', async () => {
  expect((await sniffed('P', 'O', 'ST /')).after).toEqual([undefined, 'h1', 'h1']);
  expect((await sniffed('GET')).after).toEqual(['h1']);
});

test('who says nothing for ten seconds is let go', () => {
  vi.useFakeTimers();
  const socket = new PassThrough();
  sniff(socket as unknown as Socket, () => {});
  vi.advanceTimersByTime(9_999);
  expect(socket.destroyed).toBe(false);
  vi.advanceTimersByTime(1);
  expect(socket.destroyed).toBe(true);
});
