import { expect, test } from 'vitest';
import { Hub } from './hub.ts';

const never = new AbortController().signal;

test('a wake between two waits is not lost', async () => {
  const hub = new Hub();
  using waiter = hub.subscribe('mailbox:a');
  hub.wake('mailbox:a');
  await waiter.next(never);
});

test('a wake of another topic wakes nobody', async () => {
  const hub = new Hub();
  using waiter = hub.subscribe('mailbox:a');
  const stop = new AbortController();
  let woken = false;
  const waiting = waiter.next(stop.signal).then(() => (woken = !stop.signal.aborted));
  hub.wake('mailbox:b');
  await Promise.resolve();
  stop.abort();
  await waiting;
  expect(woken).toBe(false);
});

test('whoever leaves is forgotten', () => {
  const hub = new Hub();
  hub.subscribe('mailbox:a')[Symbol.dispose]();
  expect(hub.topics('mailbox:')).toEqual([]);
});
