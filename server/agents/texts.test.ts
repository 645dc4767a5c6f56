import { describe, expect, test } from 'vitest';
import { checkPurpose } from './texts.ts';

describe('a purpose', () => {
  test('is one paragraph of ordinary text, in any script', () => {
    expect(() => checkPurpose('Prüft die Rechnungen 🧾 und 帳票')).not.toThrow();
    expect(() => checkPurpose('')).not.toThrow();
  });

  test('has at most 512 characters, counted as a person counts them', () => {
    expect(() => checkPurpose('🧾'.repeat(512))).not.toThrow();
    expect(() => checkPurpose('x'.repeat(513))).toThrow(/513 characters; the limit is 512/);
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
  ])('holds no %s', (_, text) => {
    expect(() => checkPurpose(text)).toThrow(/one paragraph/);
  });
});
