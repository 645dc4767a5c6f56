import { create } from '@bufbuild/protobuf';
import { createElement } from 'react';
import { afterEach, expect, test } from 'vitest';
import { AgentSchema, Presence } from '#gen/agentworks/agents/v1/agents_pb.ts';
import { openScreen } from '../../test/world/screen.ts';
import type { View } from '../commands/agents/live.ts';
import { newTheme } from '../faces/theme.ts';
import { Agents } from './agents.ts';

const agents = (count: number) =>
  Array.from({ length: count }, (_, at) =>
    create(AgentSchema, {
      agentId: String(at),
      name: `agent-${at}`,
      presence: Presence.LIVE,
      route: 'claude-socket',
      purpose: 'Keeps the checkout service green, and everything around it that could turn red',
    }),
  );

let view: View = { agents: [], sessions: [], problem: '' };
let tell: () => void = () => {};
const live = {
  view: () => view,
  onChange: (listener: () => void) => {
    tell = listener;
    return () => {};
  },
};
const theme = newTheme({ env: { NO_COLOR: '1', LANG: 'C' } } as never);
let screen: Awaited<ReturnType<typeof openScreen>>;

const open = async (shown: View, columns = 80, rows = 24) => {
  view = shown;
  screen = await openScreen(createElement(Agents, { live, theme }), columns, rows);
};
afterEach(() => screen.close());

test.each([
  [60, 20],
  [80, 24],
  [40, 8],
])('%i × %i: no line wraps, and one row stays free', async (columns, rows) => {
  await open({ agents: agents(50), sessions: [], problem: '' }, columns, rows);
  expect(screen.lines()[0]).toMatch(/^Agents {2}50, 1 to/);
  expect(screen.lines()[rows - 2]).toBe('Up Down scroll, q leave');
  expect(screen.lines()[rows - 1]).toBe('');
});

test('a change is drawn, and why nothing changes any more too', async () => {
  await open({ agents: agents(1), sessions: [], problem: '' });
  view = { agents: agents(2), sessions: [], problem: 'The server is away.' };
  tell();
  await screen.press('');
  expect(screen.text()).toContain('agent-1');
  expect(screen.text()).toContain('The server is away.');
});

test('what does not fit is scrolled to, and q leaves', async () => {
  await open({ agents: agents(50), sessions: [], problem: '' });
  expect(screen.text()).not.toContain('agent-49');
  await screen.press('\u001b[F');
  expect(screen.text()).toContain('agent-49');
  await screen.press('q');
  await screen.left;
});
