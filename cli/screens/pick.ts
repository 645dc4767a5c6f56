import { createElement } from 'react';
import type { Session } from '#gen/agentworks/bridge/v1/local_pb.ts';
import type { Io } from '../context.ts';
import { newTheme } from '../faces/theme.ts';
import { Picker } from './picker.ts';
import { show } from './show.ts';

/** What the person chooses of these; nothing, when they leave. */
export async function pick(io: Io, sessions: readonly Session[]): Promise<readonly Session[]> {
  const { isUtf8, isColoured } = newTheme(io);
  let chosen: readonly Session[] = [];
  const onDone = (done: readonly Session[]) => void (chosen = done);
  await show(io, createElement(Picker, { sessions, isUtf8, isColoured, onDone }));
  return chosen;
}
