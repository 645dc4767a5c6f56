import { field, printable } from './printable.ts';
import type { Standing, Theme } from './theme.ts';
import { ago } from './time.ts';
import { pad, widthOf } from './width.ts';

export type Cell = string | number | Date | Standing | undefined;

interface Column {
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

/** For a person: fitted columns, how long ago, a header; a column with nothing in it is left out. */
export function fittedRows(table: Table, width: number, theme: Theme, now: Date): string[] {
  const { columns, rows } = withoutEmpty(table);
  const shown = rows.map((row) => row.map((cell) => (isStanding(cell) ? cell : text(cell, now))));
  const widths = columns.map(({ title }, at) => Math.max(title.length, ...shown.map((row) => cellWidth(row[at]!))));
  const room = width - widths.reduce((sum, each) => sum + each, 0) - 2 * (columns.length - 1);
  const giver = columns.findIndex(({ gives }) => gives);
  if (room < 0 && giver >= 0) widths[giver] = Math.max(8, widths[giver]! + room);
  const head = line(columns.map(({ title }, at) => pad(title, widths[at]!)));
  return [
    ...(head === '' ? [] : [theme.quiet(head)]),
    ...shown.map((row) => line(row.map((cell, at) => fitted(cell, widths[at]!, theme)))),
  ];
}

function withoutEmpty({ columns, rows }: Table): Table {
  const isUsed = columns.map((_, at) => rows.some((row) => row[at] !== undefined && row[at] !== ''));
  const used = <T>(cells: readonly T[]) => cells.filter((_, at) => isUsed[at]);
  return { columns: used(columns), rows: rows.map(used) };
}

/** A standing is a mark, a space and a word; its colour takes no room. */
const cellWidth = (cell: string | Standing): number =>
  typeof cell === 'string' ? widthOf(cell) : 2 + cell.word.length;

const fitted = (cell: string | Standing, width: number, theme: Theme): string =>
  typeof cell === 'string'
    ? pad(cell, width, theme.ellipsis)
    : theme.standing(cell) + ' '.repeat(Math.max(0, width - cellWidth(cell)));

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
      .map(([title, value]) => `${title} ${value}`.trimStart())
      .join(', '),
  );
