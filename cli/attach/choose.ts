import type { Session } from '#gen/agentworks/bridge/v1/local_pb.ts';
import type { Answers } from '../answers.ts';
import { type Context, Usage } from '../command.ts';
import { canDraw } from '../screens/can-draw.ts';
import { askWhich } from './ask-which.ts';
import { sessionWords } from './session-words.ts';

/** The sessions that the person means: the only one, or the ones they choose. A program is told which option answers. */
export async function choose(
  context: Context,
  sessions: readonly Session[],
  answers: Answers | undefined,
): Promise<readonly Session[]> {
  const { face } = context;
  if (sessions.length === 1) return sessions;
  if (canDraw(context)) return (await import('../screens/pick.ts')).pick(context.io, sessions);
  if (answers !== undefined) return askWhich(face, answers, sessions, 'attach');
  for (const session of sessions) face.say(`${session.sessionKey}  ${sessionWords(session)}`);
  throw new Usage(`${sessions.length} sessions are live, and nobody can be asked here. Name one: --session KEY`);
}
