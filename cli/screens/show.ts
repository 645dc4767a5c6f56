import { render } from 'ink';
import type { ReactElement } from 'react';
import type { Io } from '../context.ts';

/** Opens a screen on the terminal's other buffer, and gives the terminal back as it was once the person leaves. */
export async function show(io: Io, screen: ReactElement): Promise<void> {
  const app = render(screen, {
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
}
