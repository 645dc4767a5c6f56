import { Box, Text, useApp, useCursor, usePaste, useWindowSize } from 'ink';
import { createElement, type ReactElement, useRef, useState } from 'react';
import type { Session } from '#gen/agentworks/bridge/v1/local_pb.ts';
import { printable } from '../faces/printable.ts';
import { type Key, useKeys } from './keys.ts';
import { frame, listRows, type Tone } from './picker-frame.ts';
import { begin, press } from './picker-state.ts';

export interface PickerProps {
  readonly sessions: readonly Session[];
  readonly isUtf8: boolean;
  readonly isColoured: boolean;
  readonly onDone: (chosen: readonly Session[]) => void;
}

/** Colour repeats what a mark or a word says; without colour bold is left. */
const looks: Record<Tone, readonly [always: object, coloured: object]> = {
  plain: [{}, {}],
  strong: [{ bold: true }, {}],
  quiet: [{}, { dimColor: true }],
  pointer: [{ bold: true }, { color: 'cyan' }],
  asking: [{ bold: true }, { color: 'yellow' }],
};

/** Choosing among live chats by keyboard. What it shows is in picker-frame.ts, what a key does in picker-state.ts. */
export function Picker({ sessions, isUtf8, isColoured, onDone }: PickerProps): ReactElement {
  const size = useWindowSize();
  const { exit } = useApp();
  const { setCursorPosition } = useCursor();
  const [state, setState] = useState(() => begin(sessions));
  // Keys can come faster than frames: each steps from the newest state.
  const latest = useRef(state);
  const step = (key: Key): void => {
    const next = press(latest.current, key, listRows(size.rows));
    if ('done' in next) {
      onDone(next.done);
      exit();
      return;
    }
    latest.current = next.state;
    setState(next.state);
  };
  useKeys(step);
  usePaste((text) => step({ text: printable(text) }));
  const { lines, cursor } = frame(state, size, isUtf8);
  setCursorPosition(cursor);
  const shown = lines.map(({ text, tone }, at) => {
    const [always, coloured] = looks[tone];
    const look = isColoured ? { ...always, ...coloured } : always;
    // An empty Text takes no line.
    return createElement(Text, { key: at, wrap: 'truncate', ...look }, text === '' ? ' ' : text);
  });
  return createElement(Box, { flexDirection: 'column', width: size.columns }, ...shown);
}
