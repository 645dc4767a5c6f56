import { keepEnd, pad, widthOf } from '../faces/width.ts';
import { listed, type PickerState, type Row } from './picker-state.ts';

export type Tone = 'plain' | 'strong' | 'quiet' | 'pointer' | 'asking';

/** One line of the screen, cut to its width. */
interface Line {
  readonly text: string;
  readonly tone: Tone;
}

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

interface Frame {
  readonly lines: readonly Line[];
  /** Where the person types. */
  readonly cursor: { readonly x: number; readonly y: number } | undefined;
}

const utf8 = { pointer: '❯', on: '◉', off: '◯', rule: '─', dot: '·', cut: '…', move: '↑ ↓' };
const ascii = { pointer: '>', on: '[x]', off: '[ ]', rule: '-', dot: '-', cut: '~', move: 'Up Down' };

/** Head, field, rule and keys; and one row that stays free, since a full screen scrolls on some terminals. */
const AROUND = 5;
const PREVIEW = 5;
const previewRows = (rows: number): number => (rows >= 18 ? PREVIEW : 0);

export const listRows = (rows: number): number => Math.max(1, rows - AROUND - previewRows(rows));

/** What the picker shows of a state, line by line. */
export function frame(state: PickerState, { columns, rows }: Size, isUtf8: boolean): Frame {
  const marks = isUtf8 ? utf8 : ascii;
  const line = (text: string, tone: Tone = 'plain'): Line => ({
    text: pad(text, columns, marks.cut).trimEnd(),
    tone,
  });
  if (state.mode === 'help')
    return {
      lines: help(marks)
        .slice(0, rows - 1)
        .map((text) => line(text)),
      cursor: undefined,
    };
  const found = listed(state);
  const isAll = state.mode === 'all';
  const prompt = isAll ? `Type "all ${found.length}" to attach all ${found.length} listed: ` : 'Filter: ';
  const field = prompt + (isAll ? state.typed : state.filter);
  const room = listRows(rows);
  const first = Math.max(0, Math.min(found.length - room, state.pointer - Math.floor(room / 2)));
  const rule = line(marks.rule.repeat(columns), 'quiet');
  const shown = found.slice(first, first + room).map((row, at): Line => {
    const isHere = first + at === state.pointer;
    const mark = state.chosen.has(row.session.sessionKey) ? marks.on : marks.off;
    const text = rowText(row, columns, `${isHere ? marks.pointer : ' '} ${mark} `, marks.cut);
    return { text, tone: isHere ? 'pointer' : 'plain' };
  });
  const none = [line(`Nothing fits "${state.filter}". Ctrl-U clears the filter.`)];
  const preview = previewRows(rows) === 0 ? [] : [rule, ...about(found[state.pointer], columns, marks.cut)];
  return {
    lines: [
      line(headline(state, found), 'strong'),
      line(field, isAll ? 'asking' : 'plain'),
      rule,
      ...(found.length === 0 ? none : shown),
      ...preview,
      line(keysLine(isAll, columns).join(` ${marks.dot} `), 'quiet'),
    ],
    cursor: { x: Math.min(columns - 1, widthOf(field)), y: 1 },
  };
}

function headline({ rows, chosen }: PickerState, found: readonly Row[]): string {
  const count = found.length === rows.length ? String(rows.length) : `${found.length} of ${rows.length}`;
  return `Attach chats  ${count} live${chosen.size === 0 ? '' : `, ${chosen.size} chosen`}`;
}

/** The folder goes first where there is little room. */
function rowText({ host, title, folder, state }: Row, columns: number, head: string, cut: string): string {
  const tail = ` ${pad(state, 8, cut)}`;
  const room = columns - widthOf(head) - 12 - widthOf(tail);
  if (room < 8) return pad(`${head}${host} ${title || folder}`, columns, cut).trimEnd();
  const [name, where] = room < 44 ? [room, 0] : [Math.ceil(room * 0.55), room - Math.ceil(room * 0.55) - 1];
  const body =
    where === 0 ? pad(title || folder, name, cut) : `${pad(title, name, cut)} ${keepEnd(folder, where, cut)}`;
  return `${head}${pad(host, 11, cut)} ${body}${tail}`.trimEnd();
}

function about(row: Row | undefined, columns: number, cut: string): Line[] {
  const fact = (name: string, value: string): Line => ({
    text: `${pad(name, 8)} ${keepEnd(value, Math.max(1, columns - 9), cut)}`.trimEnd(),
    tone: 'plain',
  });
  if (row === undefined) return Array.from({ length: PREVIEW - 1 }, () => fact('', ''));
  const { route, routeDetail, hasPlugin, agentName } = row.session;
  return [
    fact('Title', row.title),
    fact('Folder', row.folder),
    fact('Route', routeDetail === '' ? route : `${route}: ${routeDetail}`),
    agentName === ''
      ? fact('Plugin', hasPlugin ? 'installed' : 'not installed; you are asked')
      : fact('Name', agentName),
  ];
}

function keysLine(isAll: boolean, columns: number): readonly string[] {
  if (isAll) return ['Enter confirm', 'Esc back'];
  const few = ['Tab choose', 'Enter attach', 'Esc leave', '? keys'];
  return columns < 72 ? few : ['Type to filter', ...few.slice(0, 2), 'Ctrl-A all', ...few.slice(2)];
}

const help = ({ move }: typeof utf8): readonly string[] =>
  [
    ['type', 'filter by title, folder, host or state'],
    [move, 'move; also PgUp PgDn Home End'],
    ['Tab', 'choose, or take back'],
    ['Enter', 'attach the chosen, or the one pointed at'],
    ['Ctrl-A', 'attach all listed; asks you to type it'],
    ['Ctrl-U', 'clear the filter'],
    ['Esc', 'clear the filter, then leave'],
    ['any key', 'back to the list'],
  ].map(([key = '', what = '']) => `${pad(key, 8)} ${what}`);
