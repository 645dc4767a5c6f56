import fc from 'fast-check';
import { expect, test } from 'vitest';
import { digestOf } from './submission.ts';

const said = {
  target: 'agent:bob',
  inboxId: '',
  body: 'hello',
  contentType: 'text/plain',
  metadata: { a: 1, b: [{ c: 2, d: 3 }] } as object | null,
  inReplyTo: '',
  noWake: false,
};

test('MSG-3 the digest folds the case of the target and the order of metadata', () => {
  const other = { ...said, target: 'Agent:BOB', metadata: { b: [{ d: 3, c: 2 }], a: 1 } };
  expect(digestOf(other)).toBe(digestOf(said));
});

test('MSG-3 the digest differs where a reader would see a difference', () => {
  const changes = [
    { body: 'hello ' },
    { target: 'agent:rob' },
    { contentType: 'text/markdown' },
    { metadata: null },
    { metadata: { a: 1, b: [{ c: 2, d: 4 }] } },
    { inReplyTo: 'msg_1' },
    { noWake: true },
  ];
  const digests = changes.map((change) => digestOf({ ...said, ...change }));
  expect(new Set([...digests, digestOf(said)]).size).toBe(changes.length + 1);
});

test('MSG-3 no two of many bodies share a digest', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (a, b) => {
      expect(digestOf({ ...said, body: a }) === digestOf({ ...said, body: b })).toBe(a === b);
    }),
  );
});
