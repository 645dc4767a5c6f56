import { Refusal } from '../../bridge/client/index.ts';
import { openSessions } from '../../bridge/sessions/sessions.ts';
import type { Io } from '../context.ts';

/** Who asks the bridge: it proves the session by the line of processes above this one, and by what the host told it. */
export interface Asking {
  readonly provider: string;
  readonly pid: bigint;
  readonly sessionId: string;
}

/** The session id that a host gives its own shells. It must agree with the ancestry, and chooses nothing by itself (ATT-2a). */
const sessionIdOf = (env: Io['env'], provider: string): string =>
  provider === 'claude' ? (env['CLAUDE_CODE_SESSION_ID'] ?? '') : '';

export const asking = ({ env }: Io, provider: string): Asking => ({
  provider,
  pid: BigInt(process.pid),
  sessionId: sessionIdOf(env, provider),
});

/**
 * The coding host whose chat runs this command; undefined in a person's own terminal. A shell that says it is a chat's,
 * and runs below none that is live, is refused: neither could be told apart from the other.
 */
export function hostAbove(io: Io): Asking | undefined {
  const provider = 'claude';
  const sessions = openSessions(io.env);
  try {
    sessions.resolve({ provider, pid: BigInt(process.pid), sessionId: '' });
    return asking(io, provider);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if ((io.env['CLAUDECODE'] ?? '') === '') return undefined;
    const sentence =
      'This shell says that Claude Code started it (CLAUDECODE is set), but no live session is above it: its registration is missing, or its parent is gone. In a terminal of your own: unset CLAUDECODE';
    throw new Refusal('NOT_ALLOWED', sentence, { subject: 'CLAUDECODE' });
  } finally {
    sessions.close();
  }
}
