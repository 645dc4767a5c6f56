import { expect, test } from 'vitest';
import { fittedRows, pipedRows, spokenRows, type Table } from './table.ts';
import { newTheme } from './theme.ts';
import { widthOf } from './width.ts';

const now = new Date('2026-12-01T12:00:00Z');
const table: Table = {
  columns: [{ title: 'NAME' }, { title: 'STATE' }, { title: 'SEEN' }, { title: 'PURPOSE', gives: true }],
  rows: [
    [
      'shop-lead',
      { word: 'live', tone: 'good' },
      new Date('2026-12-01T11:53:00Z'),
      'Keeps the checkout service green, day and night.',
    ],
    ['東京', { word: 'mailbox-only', tone: 'waiting' }, undefined, ''],
  ],
};

const io = (env: Record<string, string>) => ({
  env,
  out: () => {},
  err: () => {},
  signal: new AbortController().signal,
});
const plain = newTheme(io({ NO_COLOR: '1', LANG: 'C.UTF-8' }));

test('for a program: tabs, no header, exact times, nothing cut', () => {
  expect(pipedRows(table)).toEqual([
    'shop-lead\tlive\t2026-12-01T11:53:00.000Z\tKeeps the checkout service green, day and night.',
    '東京\tmailbox-only\t\t',
  ]);
});

test('for a person: columns, how long ago, and the column that gives is cut', () => {
  expect(fittedRows(table, 60, plain, now)).toEqual([
    'NAME       STATE           SEEN    PURPOSE',
    'shop-lead  ● live          7m ago  Keeps the checkout servi…',
    '東京       ▭ mailbox-only',
  ]);
});

test.each([40, 60, 80, 200])('no line is wider than %i cells, unless ids need it', (width) => {
  const needed = 'shop-lead  ▭ mailbox-only  7m ago  Keeps t…'.length;
  for (const line of fittedRows(table, width, plain, now))
    expect(widthOf(line)).toBeLessThanOrEqual(Math.max(width, needed));
});

test('NO_COLOR leaves no escape, and without it the word still stands', () => {
  expect(fittedRows(table, 80, plain, now).join('')).not.toContain('\u001b');
  const coloured = fittedRows(table, 80, newTheme(io({ LANG: 'C.UTF-8' })), now).join('');
  expect(coloured).toContain('\u001b[32m● live');
});

test('without UTF-8 only ASCII is drawn', () => {
  const ascii: Table = { ...table, rows: table.rows.slice(0, 1) };
  const lines = fittedRows(ascii, 60, newTheme(io({ NO_COLOR: '1', LANG: 'C' })), now);
  expect(lines.join('')).toMatch(/^[\x20-\x7e]*$/);
  expect(lines[1]).toContain('* live');
});

test('for a screen reader: every value with its name, nothing drawn', () => {
  expect(spokenRows(table, now)).toEqual([
    'name shop-lead, state live, seen 7m ago, purpose Keeps the checkout service green, day and night.',
    'name 東京, state mailbox-only',
  ]);
});
