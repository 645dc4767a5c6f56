import { createElement } from 'react';
import type { Live } from '../commands/agents/live.ts';
import type { Io } from '../context.ts';
import { newTheme } from '../faces/theme.ts';
import { Agents } from './agents.ts';
import { show } from './show.ts';

export const showAgents = (io: Io, live: Live): Promise<void> =>
  show(io, createElement(Agents, { live, theme: newTheme(io) }));
