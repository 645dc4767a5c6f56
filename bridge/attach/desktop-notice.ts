import { spawn } from 'node:child_process';
import type { Log } from '../log.ts';

/** Shows a notice where the desktop has a way to. Never a body: whoever looks at the screen may read it. */
export type Notice = (title: string, text: string) => void;

const script = 'on run {heading, words}\ndisplay notification words with title heading\nend run';

export const desktopNotice =
  (log: Log): Notice =>
  (title, text) => {
    const isMac = process.platform === 'darwin';
    const program = isMac ? 'osascript' : 'notify-send';
    const args = isMac ? ['-e', script, title, text] : ['--app-name=AgentWorks', '--', title, text];
    const child = spawn(program, args, { stdio: 'ignore', timeout: 5_000 });
    child.on('error', () => log('notice.none', { why: `${program} is not there` }));
    child.unref();
  };
