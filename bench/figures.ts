/** The value below which `share` of them lie. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? NaN;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2;
}

/** One figure over all rounds. */
export interface Figure {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

export const figure = (values: readonly number[]): Figure => ({
  median: rounded(median(values)),
  min: rounded(Math.min(...values)),
  max: rounded(Math.max(...values)),
});

/** More than three digits would claim a precision that no such machine has. */
export const rounded = (value: number): number => Number(value.toPrecision(3));

/** `1,230 (1,100–1,400)`. */
export function written({ median: middle, min, max }: Figure): string {
  return min === max ? digits(middle) : `${digits(middle)} (${digits(min)}–${digits(max)})`;
}

const digits = (value: number): string => value.toLocaleString('en', { maximumSignificantDigits: 3 });

/** A table in Markdown, padded so that it also reads well in a terminal. */
export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = heads.map((head, i) => Math.max(head.length, ...rows.map((row) => row[i]!.length)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))).join(' | ')} |`;
  const rule = `| ${widths.map((width, i) => (i === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)).join(' | ')} |`;
  return [line(heads), rule, ...rows.map(line)].join('\n');
}
