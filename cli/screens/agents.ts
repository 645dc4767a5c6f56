import { Box, Text, useApp, useWindowSize } from 'ink';
import { createElement, type ReactElement, useEffect, useState, useSyncExternalStore } from 'react';
import type { Live, View } from '../commands/agents/live.ts';
import { overviewTable } from '../commands/agents/overview-table.ts';
import { printable } from '../faces/printable.ts';
import { fittedRows } from '../faces/table.ts';
import type { Theme } from '../faces/theme.ts';
import { pad } from '../faces/width.ts';
import { type Key, useKeys } from './keys.ts';

export interface AgentsProps {
  readonly live: Pick<Live, 'view' | 'onChange'>;
  readonly theme: Theme;
}

/** How long ago something was seen changes by itself. */
const TICK_MS = 15_000;

/** The directory as it changes: the table of `agentworks agents`, and where the person can scroll it. */
export function Agents({ live, theme }: AgentsProps): ReactElement {
  const { columns, rows } = useWindowSize();
  const { exit } = useApp();
  const view = useSyncExternalStore(live.onChange, live.view);
  const [first, setFirst] = useState(0);
  const [, setTick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setTick((tick) => tick + 1), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  const [head = '', ...table] = tableOf(view, columns, theme);
  // Title, head and keys; and one row that stays free.
  const room = Math.max(1, rows - 4);
  const last = Math.max(0, table.length - room);
  const at = Math.min(first, last);
  useKeys((key) => {
    if (key === 'escape' || (typeof key === 'object' && key.text === 'q')) exit();
    else setFirst(Math.max(0, Math.min(last, at + moveOf(key, room))));
  });
  const more = last === 0 ? '' : `, ${at + 1} to ${Math.min(table.length, at + room)} shown`;
  const cut = (text: string) => pad(text, columns, theme.ellipsis).trimEnd();
  const lines = [
    theme.strong(cut(`Agents  ${view.agents.length}${more}`)),
    head,
    ...table.slice(at, at + room),
    theme.quiet(cut(view.problem === '' ? 'Up Down scroll, q leave' : printable(view.problem))),
  ];
  const shown = lines.map((text, line) =>
    createElement(Text, { key: line, wrap: 'truncate' }, text === '' ? ' ' : text),
  );
  return createElement(Box, { flexDirection: 'column', width: columns }, ...shown);
}

function tableOf({ agents, sessions }: View, columns: number, theme: Theme): readonly string[] {
  const table = overviewTable(agents, sessions);
  return agents.length === 0 ? ['', table.empty ?? ''] : fittedRows(table, columns, theme, new Date());
}

function moveOf(key: Key, room: number): number {
  const moves: Partial<Record<string, number>> = {
    up: -1,
    down: 1,
    pageUp: -room,
    pageDown: room,
    home: -1e6,
    end: 1e6,
  };
  const name = typeof key === 'object' ? { k: 'up', j: 'down' }[key.text] : key;
  return name === undefined ? 0 : (moves[name] ?? 0);
}
