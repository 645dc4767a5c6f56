import { Usage } from './command.ts';
import type { Io } from './context.ts';

/** Asks the person at the terminal. A program is never waited for: it says `--yes`. */
export async function confirm(io: Io, question: string): Promise<boolean> {
  if (io.isTerminal !== true || io.stdin === undefined) throw new Usage('Nothing was changed. To do it, add --yes.');
  io.err(`${question} [y/N] `);
  let answer = '';
  for await (const chunk of io.stdin) {
    answer += Buffer.from(chunk as Uint8Array).toString();
    if (answer.includes('\n')) break;
  }
  return /^y(es)?$/i.test(answer.trim());
}
