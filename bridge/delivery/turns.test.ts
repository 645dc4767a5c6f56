import { expect, test } from 'vitest';
import { Turns } from './turns.ts';

test('acts of one key follow each other, whatever became of the one before, and another key does not wait', async () => {
  const turns = new Turns();
  const done: string[] = [];
  const first = Promise.withResolvers<void>();
  const one = turns.take('a', async () => {
    await first.promise;
    done.push('one');
    throw new Error('broken');
  });
  const two = turns.take('a', async () => void done.push('two'));
  await turns.take('b', async () => void done.push('other'));
  expect(done).toEqual(['other']);
  first.resolve();
  await expect(one).rejects.toThrow('broken');
  await two;
  await turns.idle();
  expect(done).toEqual(['other', 'one', 'two']);
});
