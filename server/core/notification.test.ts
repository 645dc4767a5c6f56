import { expect, test } from 'vitest';
import { endPayloads, readNotification, wakePayloads } from './notification.ts';

const topics = (count: number) => Array.from({ length: count }, (_, i) => `mailbox:agt_${String(i).padStart(26, '0')}`);

test('a payload stays below what PostgreSQL takes, and says every topic', () => {
  const payloads = wakePayloads('nod_1', topics(1_000));
  expect(Math.max(...payloads.map((payload) => Buffer.byteLength(payload)))).toBeLessThan(8_000);
  const said = payloads.map(readNotification).flatMap((one) => (one?.say === 'wake' ? one.topics : []));
  expect(said).toEqual(topics(1_000));
});

test('more topics than eight payloads hold are said as one request to look at everything', () => {
  expect(wakePayloads('nod_1', topics(5_000)).map(readNotification)).toEqual([{ from: 'nod_1', say: 'look' }]);
});

test('endings are never shortened, and only the last part asks for an answer', () => {
  const endings = topics(3_000).map((id) => ({ id, cause: 'revoked' as const }));
  const parts = endPayloads('nod_1', 'token', endings).map(readNotification);
  expect(parts.flatMap((part) => (part?.say === 'end' ? part.ends.map(([id]) => id) : []))).toEqual(topics(3_000));
  expect(parts.map((part) => part?.say === 'end' && part.isLast)).toEqual([...parts.slice(1).map(() => false), true]);
});

test.each([undefined, '', 'hello', 'null', '[]', '{"say":"wake"}'])('what is not ours is ignored: %s', (payload) => {
  expect(readNotification(payload)).toBeUndefined();
});
