import { AttachOrigin, type Attachment } from '#gen/agentworks/agents/v1/attachments_pb.ts';
import { rpc } from '../doors/rpc.ts';
import type { Person } from './people.ts';

/** A session that the person attached, with the child connection that is its own. */
export interface Attached {
  readonly child: Person;
  readonly attachment: Attachment;
  readonly attachmentId: string;
  readonly startCursor: string;
}

/** Attaches a session under a name, as a bridge does for a person who asked for it in that chat. */
export async function attached(
  person: Person,
  agentName: string,
  sessionId = `session of ${agentName}`,
): Promise<Attached> {
  const answer = await rpc.as(person).attachments.attach({
    agentName,
    sessionId,
    provider: 'claude',
    process: { pid: 4711n, startTime: '100', bootId: 'boot' },
    origin: AttachOrigin.CHAT,
    folder: '/home/alice/project',
    computer: 'desk',
  });
  const attachment = answer.attachment!;
  const child = { ...person, secret: answer.childSecret, connectionId: attachment.childConnectionId };
  return { child, attachment, attachmentId: attachment.attachmentId, startCursor: answer.startCursor };
}
