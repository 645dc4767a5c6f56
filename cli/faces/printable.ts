/**
 * Text that another program wrote, made inert. A terminal obeys what is printed to it: cursor moves, titles, clipboard
 * writes, hidden links; and marks that draw nothing make one name look like another. Both plain faces print through
 * here; JSON escapes by itself.
 */
// OSC, DCS, SOS, PM and APC up to their end; then CSI; then two-byte escapes. Each in its 7-bit and its C1 form.
const escapes =
  // oxlint-disable-next-line no-control-regex -- these are what it is about
  /(?:\u001b[\]PX^_]|[\u009d\u0090\u0098\u009e\u009f])[^\u0007\u001b\u009c\n]*(?:\u0007|\u001b\\|\u009c|$)?|(?:\u001b\[|\u009b)[\u0030-\u003f]*[\u0020-\u002f]*[\u0040-\u007e]?|\u001b[\u0020-\u002f]*[\u0030-\u007e]?/g;

/** Stands where something was: text that was taken out without a word could join what belongs apart. */
const MARK = '\u{fffd}';

const breaks = /[\t\n\r\v\f\u0085\u2028\u2029]+/g;

// Controls, format marks (bidi, zero width, tags), private use, lone surrogates, unassigned; and marks that draw nothing
// although Unicode counts them as letters or marks.
const hidden =
  /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Cn}\u115f\u1160\u3164\uffa0\u2800]|\u034f|[\ufe00-\ufe0f]|[\u{e0100}-\u{e01ef}]/gu;

// A picture may hold joiners and variation marks: cut to its first, so that our width and the terminal's agree.
const pictures =
  /\p{Extended_Pictographic}(?:\ufe0f|\p{Emoji_Modifier})?(?:\u200d\p{Extended_Pictographic}(?:\ufe0f|\p{Emoji_Modifier})?)*/gu;

const stackedMarks = /(\p{M}{2})\p{M}+/gu;

/** One line. */
export const printable = (text: string): string => inert(text.replace(escapes, MARK).replace(breaks, ' '));

/** The lines of a text, each inert. */
export const printableLines = (text: string): string[] =>
  text
    .replace(escapes, MARK)
    .split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/)
    .map((line) => inert(line.replaceAll('\t', '    ')));

const inert = (line: string): string =>
  line
    .replace(pictures, (picture) => String.fromCodePoint(picture.codePointAt(0)!))
    .replace(hidden, MARK)
    .replace(stackedMarks, '$1')
    .replace(/\u{fffd}{3,}/gu, '\u{fffd}\u{fffd}');

/** One field of a line that a program reads: line breaks and tabs as their escapes, so that nothing is lost. */
export const field = (text: string): string =>
  text
    .split(/([\\\n\r\t])/)
    .map((part) => named[part] ?? inert(part.replace(escapes, MARK).replace(breaks, ' ')))
    .join('');

const named: Record<string, string> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** JSON holds these two as they are, and some readers end a line at them. */
const unprintable = new RegExp(`${hidden.source}|[\\u2028\\u2029]`, 'gu');

/** JSON as it may be printed: what a terminal would obey, or hide, stands as its escape. */
export const inertJson = (json: string): string =>
  json.replace(unprintable, (mark) =>
    [...Array(mark.length).keys()].map((at) => `\\u${mark.charCodeAt(at).toString(16).padStart(4, '0')}`).join(''),
  );
