/** How many names are offered for a wrong one. */
const MOST = 5;

/**
 * Names that a wrong one may have meant, without regard to case, nearest first (MSG-19): a slip or two of the keyboard,
 * or one the beginning of the other. Short names allow one slip, since with two everything is near.
 */
export function nearNames(wanted: string, names: readonly string[]): string[] {
  const key = wanted.toLowerCase().slice(0, 64);
  const slips = key.length <= 4 ? 1 : 2;
  return names
    .map((name) => ({ name, far: distance(key, name.toLowerCase(), slips) }))
    .filter(({ far }) => far <= slips + 1)
    .toSorted((a, b) => a.far - b.far || (a.name < b.name ? -1 : 1))
    .slice(0, MOST)
    .map(({ name }) => name);
}

/** A name that continues the wanted one, or the reverse, is as near as the last slip that is allowed, and no nearer. */
function distance(a: string, b: string, slips: number): number {
  const written = edits(a, b);
  if (written <= slips) return written;
  const continues = a.length >= 2 && b.length >= 2 && (a.startsWith(b) || b.startsWith(a));
  return continues ? slips + 1 : Infinity;
}

/** Insertions, deletions, substitutions and swaps of neighbours between two short texts. */
function edits(a: string, b: string): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      row[j] = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + same);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        row[j] = Math.min(row[j]!, before[j - 2]! + 1);
    }
    before = last;
    last = row;
  }
  return last[b.length]!;
}
