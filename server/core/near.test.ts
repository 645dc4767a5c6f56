import { expect, test } from 'vitest';
import { nearNames } from './near.ts';

const names = ['engineer', 'reviewer', 'Planner', 'qa', 'qb', 'review-bot', 'zed'];

test('a slip of the keyboard finds the name, nearest first', () => {
  expect(nearNames('enginer', names)).toEqual(['engineer']);
  expect(nearNames('REVEIWER', names)).toEqual(['reviewer']);
  expect(nearNames('plannr', names)).toEqual(['Planner']);
});

test('the beginning of a name finds it', () => {
  expect(nearNames('review', names)).toEqual(['reviewer', 'review-bot']);
});

test('a short name is near by one slip only', () => {
  expect(nearNames('qa', names)).toEqual(['qa', 'qb']);
  expect(nearNames('xx', names)).toEqual([]);
});

test('a name that is far from all finds nothing, and never more than five', () => {
  expect(nearNames('accountant', names)).toEqual([]);
  expect(
    nearNames(
      'agent-1',
      Array.from({ length: 30 }, (_, i) => `agent-${i}`),
    ),
  ).toHaveLength(5);
});
