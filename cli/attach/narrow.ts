import type { Session } from '#gen/agentworks/bridge/v1/local_pb.ts';
import { Refusal } from '../../bridge/client/index.ts';

/** What a person names of a session on the command line. It is checked against the live ones, and never completed. */
export interface Named {
  readonly session: string | undefined;
  readonly nativePid: number | undefined;
}

export function narrow(sessions: readonly Session[], { session, nativePid }: Named): readonly Session[] {
  const found = sessions.filter(
    (one) =>
      (session === undefined || one.sessionKey === session || one.sessionId === session) &&
      (nativePid === undefined || Number(one.process?.pid) === nativePid),
  );
  if (found.length > 0) return found;
  const named = [
    ...(session === undefined ? [] : [`--session ${session}`]),
    ...(nativePid === undefined ? [] : [`--native-pid ${nativePid}`]),
  ].join(' ');
  const sentence =
    named === ''
      ? 'No live session was found on this computer. Start one, as with claude in another terminal, then again: agentworks attach'
      : `No live session fits ${named}. List the live ones: agentworks attach`;
  throw new Refusal('NOT_FOUND', sentence, { subject: named === '' ? '' : 'session' });
}
