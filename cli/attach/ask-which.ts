import type { Session } from '#gen/agentworks/bridge/v1/local_pb.ts';
import type { Answers } from '../answers.ts';
import type { Face } from '../faces/face.ts';
import { chosenBy } from './numbers.ts';
import { sessionWords } from './session-words.ts';

/** The choice without a screen: numbered lines and one question, nothing redrawn. Nothing chosen is an answer too. */
export async function askWhich(
  face: Face,
  answers: Answers,
  sessions: readonly Session[],
  act: string,
): Promise<readonly Session[]> {
  for (const [at, session] of sessions.entries()) face.say(`${at + 1}. ${sessionWords(session)}`);
  const all = sessions.length === 1 ? '' : `, such as 1 or 1,3-4; all of them by "all ${sessions.length}"`;
  const question = `Numbers to ${act}${all}; nothing to leave:`;
  for (;;) {
    const chosen = chosenBy((await answers.ask(question)) ?? '', sessions.length);
    if (typeof chosen !== 'string') return chosen.map((place) => sessions[place]!);
    face.say(chosen);
  }
}
