import { Activity, type Session } from '#gen/agentworks/bridge/v1/local_pb.ts';

const hosts: Readonly<Record<string, string>> = { claude: 'Claude Code' };

export const hostName = (provider: string): string => hosts[provider] ?? provider;

/** How a live session stands, in one word. */
export function stateOf({ agentName, activity }: Pick<Session, 'agentName' | 'activity'>): string {
  if (agentName !== '') return 'attached';
  if (activity === Activity.IDLE) return 'idle';
  return activity === Activity.BUSY ? 'working' : 'live';
}

/** One session as a person tells it from the others. Title and folder are another's text. */
export const sessionWords = (session: Session): string =>
  [
    hostName(session.provider),
    ...(session.title === '' ? [] : [session.title]),
    `in ${session.folder}`,
    session.agentName === '' ? stateOf(session) : `attached as ${session.agentName}`,
    ...(session.hasPlugin ? [] : ['without our plugin']),
  ].join(', ');

/** Told before anything is attached (ATT-1a). */
export const WAKE =
  'A message to an attached chat starts a turn in it when it is idle. The turn runs under the model, approvals and sandbox that this chat has; they, and what is being typed there, stay as they are.';
