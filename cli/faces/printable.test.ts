import fc from 'fast-check';
import { expect, test } from 'vitest';
import { field, inertJson, printable, printableLines } from './printable.ts';

/** What programs have put into names and titles to deceive whoever reads a list, and what is left of it. */
const corpus: readonly (readonly [what: string, hostile: string, shown: string])[] = [
  ['colour', '\u001b[31mred\u001b[0m', '\ufffdred\ufffd'],
  ['blink and conceal', '\u001b[5;8mhidden\u001b[m', '\ufffdhidden\ufffd'],
  ['cursor moves', 'a\u001b[2A\u001b[2Kb', 'a\ufffd\ufffdb'],
  ['screen wipe', '\u001b[2J\u001b[Hclean', '\ufffd\ufffdclean'],
  ['title', '\u001b]0;root@prod\u0007name', '\ufffdname'],
  ['clipboard write', '\u001b]52;c;cm0gLXJmIH4=\u001b\\name', '\ufffdname'],
  ['hidden link', '\u001b]8;;https://evil\u001b\\docs\u001b]8;;\u001b\\', '\ufffddocs\ufffd'],
  ['link that never ends', 'a\u001b]8;;https://evil', 'a\ufffd'],
  ['device question', 'x\u001b[cy\u001b[6nz', 'x\ufffdy\ufffdz'],
  ['terminal reset', '\u001bcname', '\ufffdname'],
  ['charset switch', '\u001b(0lqk', '\ufffdlqk'],
  ['DCS', '\u001bPq#0\u001b\\name', '\ufffdname'],
  ['APC and PM', '\u001b_x\u001b\\\u001b^y\u001b\\name', '\ufffd\ufffdname'],
  ['C1 CSI', '\u009b31mred', '\ufffdred'],
  ['C1 OSC', '\u009d0;title\u009cname', '\ufffdname'],
  ['backspace', 'evil\b\b\b\bgood', 'evil\ufffd\ufffdgood'],
  ['bell', 'a\u0007b', 'a\ufffdb'],
  ['NUL', 'a\u0000b', 'a\ufffdb'],
  ['DEL', 'a\u007fb', 'a\ufffdb'],
  ['line break that adds a row', 'alice\nbob  live', 'alice bob  live'],
  ['carriage return that overwrites', 'evil\rgood', 'evil good'],
  ['Unicode line breaks', 'a\u2028b\u2029c\u0085d', 'a b c d'],
  ['tab that shifts columns', 'a\tb', 'a b'],
  ['right-to-left override', 'txt.\u202eexe', 'txt.\ufffdexe'],
  ['isolates', '\u2066a\u2069', '\ufffda\ufffd'],
  ['zero width space', 'al\u200bice', 'al\ufffdice'],
  ['zero width joiner', 'al\u200dice', 'al\ufffdice'],
  ['byte order mark', '\ufeffalice', '\ufffdalice'],
  ['soft hyphen', 'al\u00adice', 'al\ufffdice'],
  ['tag characters', 'alice\u{e0061}\u{e007f}', 'alice\ufffd\ufffd'],
  ['Hangul filler', 'a\u3164b', 'a\ufffdb'],
  ['Braille blank', 'a\u2800b', 'a\ufffdb'],
  ['variation selectors', 'a\ufe0fb\u{e0101}', 'a\ufffdb\ufffd'],
  ['private use', '\ue000', '\ufffd'],
  ['lone surrogate', 'a\ud800b', 'a\ufffdb'],
  ['unassigned', '\u0378', '\ufffd'],
  ['combining flood', `Z${'\u0301'.repeat(40)}`, 'Z\u0301\u0301'],
  ['a run of hidden marks', 'a\u200b\u200b\u200b\u200bb', 'a\ufffd\ufffdb'],
  ['joined family', '👩‍👩‍👧', '👩'],
  ['skin tone', '👍🏽', '👍'],
];

test.each(corpus)('UIX-5b %s is shown inert', (_what, hostile, shown) => expect(printable(hostile)).toBe(shown));

test.each(['shop-lead', 'Größe', '東京', 'Ελλάδα', 'שלום', 'é', '😀', 'a  b', '$(rm -rf ~)'])(
  'honest text stays as it is: %s',
  (text) => expect(printable(text)).toBe(text),
);

const anything = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom('\u001b', '[', ']', '8', ';', '\u0007', '\\', 'm', '\u009b', 'a', '\n') }),
);

test('whatever is printed is one line without a control or a format mark', () => {
  fc.assert(
    fc.property(anything, (text) => {
      expect(printable(text)).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u);
      expect(field(text)).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u);
      for (const line of printableLines(text)) expect(line).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}]/u);
    }),
    { numRuns: 3_000 },
  );
});

test('what is printable already does not change', () => {
  fc.assert(
    fc.property(anything, (text) => {
      expect(printable(printable(text))).toBe(printable(text));
    }),
    { numRuns: 2_000 },
  );
});

test('a text keeps its lines, and a tab its room', () => {
  expect(printableLines('one\r\n\ttwo\n\nthree')).toEqual(['one', '    two', '', 'three']);
});

test('a field of a piped line keeps its breaks as escapes, told apart from a backslash', () => {
  expect(field('a\nb\tc\rd')).toBe('a\\nb\\tc\\rd');
  expect(field('a\\nb')).toBe('a\\\\nb');
});

test('one document of JSON is one line for every reader', () => {
  expect(inertJson(JSON.stringify('a\u2028b\u2029c'))).toBe(String.raw`"a\u2028b\u2029c"`);
});

test('JSON is escaped where a terminal would obey, and reads back as it was', () => {
  fc.assert(
    fc.property(anything, (text) => {
      const printed = inertJson(JSON.stringify({ text }));
      expect(printed).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u);
      expect(JSON.parse(printed)).toEqual({ text });
    }),
    { numRuns: 2_000 },
  );
});

test('100 KB of introducers are dealt with at once', () => {
  for (const hostile of ['\u001b]', '\u001b[', '\u001b', '\u009b0', '\u0301', '👩‍']) {
    const from = performance.now();
    printable(hostile.repeat(50_000));
    printableLines(hostile.repeat(50_000));
    expect(performance.now() - from).toBeLessThan(500);
  }
});
