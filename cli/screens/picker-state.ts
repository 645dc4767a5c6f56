import type { Session } from '#gen/agentworks/bridge/v1/local_pb.ts';
import { hostName, stateOf } from '../attach/session-words.ts';
import { printable } from '../faces/printable.ts';
import type { Key } from './keys.ts';

export interface Row {
  readonly session: Session;
  readonly host: string;
  readonly title: string;
  readonly folder: string;
  readonly state: string;
}

export interface PickerState {
  readonly rows: readonly Row[];
  readonly filter: string;
  readonly pointer: number;
  readonly chosen: ReadonlySet<string>;
  readonly mode: 'list' | 'all' | 'help';
  /** What was typed to confirm all. */
  readonly typed: string;
}

/** The next state, or what was chosen: nothing, when the person leaves. */
export type Step = { readonly state: PickerState } | { readonly done: readonly Session[] };

export const begin = (sessions: readonly Session[]): PickerState => ({
  rows: sessions.map((session) => ({
    session,
    host: hostName(session.provider),
    title: printable(session.title),
    folder: printable(session.folder),
    state: stateOf(session),
  })),
  filter: '',
  pointer: 0,
  chosen: new Set(),
  mode: 'list',
  typed: '',
});

/** Every word of the filter must be somewhere in the row. The order of the list stays. */
export function listed({ rows, filter }: PickerState): readonly Row[] {
  const words = filter.toLowerCase().split(/\s+/);
  return rows.filter(({ host, title, folder, state, session }) => {
    const text = `${host} ${title} ${folder} ${state} ${session.agentName}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** One key. Pure: most of what a picker does needs no terminal to be tried. */
export function press(state: PickerState, key: Key, page: number): Step {
  if (state.mode === 'help') return { state: { ...state, mode: 'list' } };
  return state.mode === 'all' ? confirm(state, key) : choose(state, key, page);
}

/** Choosing all takes the very count that is shown. */
function confirm(state: PickerState, key: Key): Step {
  const rows = listed(state);
  if (key === 'escape') return { state: { ...state, mode: 'list', typed: '' } };
  if (key === 'backspace') return { state: { ...state, typed: state.typed.slice(0, -1) } };
  if (key === 'ctrl-u') return { state: { ...state, typed: '' } };
  if (key === 'enter')
    return state.typed.trim() === `all ${rows.length}`
      ? { done: rows.map(({ session }) => session) }
      : { state: { ...state, typed: '' } };
  return { state: typeof key === 'object' ? { ...state, typed: state.typed + key.text } : state };
}

function choose(state: PickerState, key: Key, page: number): Step {
  const rows = listed(state);
  const at = (pointer: number): Step => ({
    state: { ...state, pointer: Math.max(0, Math.min(rows.length - 1, pointer)) },
  });
  const filtered = (filter: string): Step => ({ state: { ...state, filter, pointer: 0 } });
  if (typeof key === 'object')
    return key.text === '?' && state.filter === ''
      ? { state: { ...state, mode: 'help' } }
      : filtered(state.filter + printable(key.text));
  switch (key) {
    case 'up':
    case 'ctrl-p':
      return at(state.pointer - 1);
    case 'down':
    case 'ctrl-n':
      return at(state.pointer + 1);
    case 'pageUp':
      return at(state.pointer - page);
    case 'pageDown':
      return at(state.pointer + page);
    case 'home':
      return at(0);
    case 'end':
      return at(rows.length - 1);
    case 'tab':
      return toggled(state, rows);
    case 'ctrl-a':
      return { state: rows.length === 0 ? state : { ...state, mode: 'all', typed: '' } };
    case 'ctrl-u':
      return filtered('');
    case 'backspace':
      return filtered(Array.from(state.filter).slice(0, -1).join(''));
    case 'escape':
      return state.filter === '' ? { done: [] } : filtered('');
    case 'enter':
      return entered(state, rows);
    default:
      return { state };
  }
}

function toggled(state: PickerState, rows: readonly Row[]): Step {
  const row = rows[state.pointer];
  if (row === undefined) return { state };
  const chosen = new Set(state.chosen);
  const { sessionKey } = row.session;
  if (!chosen.delete(sessionKey)) chosen.add(sessionKey);
  return { state: { ...state, chosen, pointer: Math.min(rows.length - 1, state.pointer + 1) } };
}

/** The chosen ones, whether the filter shows them or not; without any, the one pointed at. */
function entered(state: PickerState, rows: readonly Row[]): Step {
  const chosen = state.rows.filter(({ session }) => state.chosen.has(session.sessionKey));
  const meant = chosen.length > 0 ? chosen : rows.slice(state.pointer, state.pointer + 1);
  return meant.length === 0 ? { state } : { done: meant.map(({ session }) => session) };
}
