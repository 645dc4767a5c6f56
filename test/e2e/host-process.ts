import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/**
 * Stands for Claude Code as its neighbours see it: registers itself, listens on its messaging socket, and prints each
 * frame it takes as a line. `clear` on its input gives it the next session.
 */
const [, , home = '', socket = ''] = process.argv;
const folder = join(home, '.claude', 'sessions');
let session = 1;
const sessionId = () => `host-${process.pid}-session-${session}`;

function register(): void {
  const stat = readFileSync('/proc/self/stat', 'latin1');
  const registration = {
    pid: process.pid,
    sessionId: sessionId(),
    cwd: home,
    startedAt: Date.now(),
    procStart: stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19],
    version: '2.1.332',
    messagingSocketPath: socket,
    name: 'a chat',
    status: 'idle',
  };
  writeFileSync(join(folder, `${process.pid}.json`), JSON.stringify(registration));
}

mkdirSync(folder, { recursive: true, mode: 0o700 });
process.umask(0o177);
const server = createServer({ allowHalfOpen: false }, (connection) => {
  createInterface({ input: connection }).on('line', (line) => {
    const frame = JSON.parse(line) as { session_id?: string; message?: { content: string } };
    if (frame.session_id === sessionId()) process.stdout.write(`${JSON.stringify(frame.message?.content)}\n`);
  });
});
server.listen(socket, () => {
  process.umask(0o022);
  register();
  process.stdout.write('"ready"\n');
});
createInterface({ input: process.stdin }).on('line', () => {
  session += 1;
  register();
});
process.stdin.on('end', () => process.exit());
