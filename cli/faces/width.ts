import stringWidth from 'string-width';

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

export const widthOf = (text: string): number => stringWidth(text);

/** Cut to so many cells, with a mark where something is missing. */
function fit(text: string, cells: number, mark = '…'): string {
  if (cells <= 0) return '';
  if (stringWidth(text) <= cells) return text;
  let kept = '';
  let used = stringWidth(mark);
  for (const { segment } of graphemes.segment(text)) {
    const width = stringWidth(segment);
    if (used + width > cells) break;
    kept += segment;
    used += width;
  }
  return kept + mark;
}

/** The same, of the end: what is last in a path tells most. */
export function keepEnd(text: string, cells: number, mark = '…'): string {
  if (stringWidth(text) <= cells) return pad(text, cells, mark);
  let kept = '';
  let used = stringWidth(mark);
  for (const { segment } of [...graphemes.segment(text)].toReversed()) {
    const width = stringWidth(segment);
    if (used + width > cells) break;
    kept = segment + kept;
    used += width;
  }
  return pad(mark + kept, cells, mark);
}

export function pad(text: string, cells: number, mark?: string): string {
  const cut = fit(text, cells, mark);
  return cut + ' '.repeat(Math.max(0, cells - stringWidth(cut)));
}
