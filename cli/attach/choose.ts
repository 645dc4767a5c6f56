import type { Session } from '#gen/agentworks/bridge/v1/local_pb.ts';
import type { Answers } from '../answers.ts';
import { type Context, Usage } from '../command.ts';
import { isAskedPlain } from '../faces/face.ts';
import { askWhich } from './ask-which.ts';
import { sessionWords } from './session-words.ts';

/** The sessions that the person means: the only one, or the ones they choose. A program is told which option answers. */
export async function choose(
  { io, face, globals }: Context,
  sessions: readonly Session[],
  answers: Answers | undefined,
): Promise<readonly Session[]> {
  if (sessions.length === 1) return sessions;
  if (answers !== undefined) {
    const isPlain = io.screen === undefined || globals.json || globals.accessible || isAskedPlain(io.env);
    return isPlain
      ? askWhich(face, answers, sessions, 'attach')
      : (await import('../screens/pick.ts')).pick(io, sessions);
  }
  for (const session of sessions) face.say(`${session.sessionKey}  ${sessionWords(session)}`);
  throw new Usage(`${sessions.length} sessions are live, and nobody can be asked here. Name one: --session KEY`);
}
