import { expect, test } from 'vitest';
import { checkShowable } from './showable.ts';

test('a paragraph of ordinary text can be shown, in any script', () => {
  expect(() => checkShowable('Prüft die Rechnungen 🧾 und 帳票', 'purpose')).not.toThrow();
  expect(() => checkShowable('', 'purpose')).not.toThrow();
});

test.each([
  ['a line break', 'one\ntwo'],
  ['a tab', 'one\ttwo'],
  ['an escape', 'one\u001b[31mtwo'],
  ['a C1 control', 'one\u009btwo'],
  ['a bidirectional override', 'one\u202etwo'],
  ['an isolate', 'one\u2066two'],
  ['a zero-width space', 'one\u200btwo'],
  ['a paragraph separator', 'one\u2029two'],
  ['a tag letter', 'one\u{e0041}two'],
  ['a lone surrogate', 'one\ud800two'],
])('%s cannot', (_, text) => {
  expect(() => checkShowable(text, 'purpose')).toThrow(/one paragraph/);
});
