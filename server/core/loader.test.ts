import { expect, test } from 'vitest';
import { Loader } from './loader.ts';

test('what is asked while a question runs goes into the next one, each key once', async () => {
  const asked: string[][] = [];
  const loader = new Loader(async (keys: readonly string[]) => {
    asked.push([...keys]);
    if (asked.length === 1) second = [loader.load('c'), loader.load('c'), loader.load('d')];
    return new Map(keys.map((key) => [key, key.toUpperCase()]));
  });
  let second: Promise<string | undefined>[] = [];
  expect(await Promise.all([loader.load('a'), loader.load('b')])).toEqual(['A', 'B']);
  expect(await Promise.all(second)).toEqual(['C', 'C', 'D']);
  expect(asked).toEqual([
    ['a', 'b'],
    ['c', 'd'],
  ]);
});

test('a failure fails those who asked, and nobody after them', async () => {
  let times = 0;
  const loader = new Loader(async (keys: readonly string[]) => {
    if (times++ === 0) throw new Error('away');
    return new Map(keys.map((key) => [key, 1]));
  });
  await expect(loader.load('a')).rejects.toThrow('away');
  expect(await loader.load('a')).toBe(1);
});
