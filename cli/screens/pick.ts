import { render } from 'ink';
import { createElement } from 'react';
import type { Session } from '#gen/agentworks/bridge/v1/local_pb.ts';
import type { Io } from '../context.ts';
import { newTheme } from '../faces/theme.ts';
import { Picker } from './picker.ts';

/** Opens the picker on the terminal's other screen, and gives the terminal back as it was. */
export async function pick(io: Io, sessions: readonly Session[]): Promise<readonly Session[]> {
  const { isUtf8, isColoured } = newTheme(io);
  let chosen: readonly Session[] = [];
  const onDone = (done: readonly Session[]) => void (chosen = done);
  const app = render(createElement(Picker, { sessions, isUtf8, isColoured, onDone }), {
    stdout: io.screen!,
    stdin: io.stdin as NodeJS.ReadStream,
    alternateScreen: true,
    // Where CI is set nothing would be shown until the end.
    interactive: true,
    patchConsole: false,
    exitOnCtrlC: true,
  });
  const leave = () => app.unmount();
  io.signal.addEventListener('abort', leave);
  try {
    await app.waitUntilExit();
  } finally {
    io.signal.removeEventListener('abort', leave);
  }
  return chosen;
}
