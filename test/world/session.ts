import { AttachOrigin, type ProcessKey } from '#gen/agentworks/agents/v1/attachments_pb.ts';
import type { Hands } from '../doors/door.ts';
import type { Attached } from './attached.ts';
import type { Person } from './people.ts';

/** What a scene may want to say differently of a session. */
interface Other {
  readonly process?: Pick<ProcessKey, 'pid' | 'startTime' | 'bootId'>;
  readonly origin?: AttachOrigin;
  readonly folder?: string;
}

/** A session on a computer that is to be attached under a name. */
export const session = (agentName: string, sessionId: string, other: Other = {}) => ({
  agentName,
  sessionId,
  provider: 'claude',
  process: { pid: 4711n, startTime: '100', bootId: 'boot' },
  origin: AttachOrigin.CHAT,
  folder: '/home/alice/project',
  computer: 'desk',
  ...other,
});

/** Attaches through a door, and answers who the session's child is. */
export async function attachThrough(
  hands: Hands,
  person: Person,
  asked: ReturnType<typeof session>,
): Promise<Attached> {
  const answer = await hands.attachments.attach(asked);
  const attachment = answer.attachment!;
  const child = { ...person, secret: answer.childSecret, connectionId: attachment.childConnectionId };
  return { child, attachment, attachmentId: attachment.attachmentId, startCursor: answer.startCursor };
}
