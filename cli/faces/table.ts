import { field, printable } from './printable.ts';
import type { Standing, Theme } from './theme.ts';
import { ago } from './time.ts';
import { fit, pad, widthOf } from './width.ts';

export type Cell = string | number | Date | Standing | undefined;

export interface Column {
  readonly title: string;
  /** Takes what room is left, and is cut where there is too little. Others are printed whole, so that they can be pasted. */
  readonly gives?: boolean;
}

export interface Table {
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly Cell[])[];
  /** What to do when there is nothing to list. */
  readonly empty?: string;
}

const isStanding = (cell: Cell): cell is Standing => typeof cell === 'object' && !(cell instanceof Date);

/** For a program: tabs, no header, nothing cut, exact times. */
export const pipedRows = ({ rows }: Table): string[] =>
  rows.map((row) => row.map((cell) => field(exact(cell))).join('\t'));

const exact = (cell: Cell): string => {
  if (cell === undefined) return '';
  if (cell instanceof Date) return cell.toISOString();
  return isStanding(cell) ? cell.word : String(cell);
};

/** For a person: fitted columns, how long ago, a header. */
export function fittedRows({ columns, rows }: Table, width: number, theme: Theme, now: Date): string[] {
  const shown = rows.map((row) => row.map((cell) => (isStanding(cell) ? cell : text(cell, now))));
  const plain = shown.map((row) => row.map((cell) => (typeof cell === 'string' ? cell : `x ${cell.word}`)));
  const widths = columns.map(({ title }, at) => Math.max(title.length, ...plain.map((row) => widthOf(row[at] ?? ''))));
  const room = width - widths.reduce((sum, each) => sum + each, 0) - 2 * (columns.length - 1);
  const giver = columns.findIndex(({ gives }) => gives);
  if (room < 0 && giver >= 0) widths[giver] = Math.max(8, widths[giver]! + room);
  return [
    theme.quiet(line(columns.map(({ title }, at) => pad(title, widths[at]!)))),
    ...shown.map((row) =>
      line(
        row.map((cell, at) => {
          if (typeof cell === 'string') return pad(fit(cell, widths[at]!, theme.ellipsis), widths[at]!);
          return theme.standing(cell) + ' '.repeat(Math.max(0, widths[at]! - widthOf(`x ${cell.word}`)));
        }),
      ),
    ),
  ];
}

const line = (cells: readonly string[]): string => cells.join('  ').trimEnd();

const text = (cell: Exclude<Cell, Standing>, now: Date): string => {
  if (cell === undefined) return '';
  return cell instanceof Date ? ago(cell, now) : printable(String(cell));
};

/** For a screen reader: one line a row, every value with its name, nothing drawn. */
export const spokenRows = ({ columns, rows }: Table, now: Date): string[] =>
  rows.map((row) =>
    columns
      .map(({ title }, at) => [title.toLowerCase(), isStanding(row[at]) ? row[at].word : text(row[at], now)] as const)
      .filter(([, value]) => value !== '')
      .map(([title, value]) => `${title} ${value}`)
      .join(', '),
  );
