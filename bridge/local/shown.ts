import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { ProcessKeySchema } from '#gen/agentworks/agents/v1/attachments_pb.ts';
import { type Session, SessionSchema } from '#gen/agentworks/bridge/v1/local_pb.ts';
import type { Delivery } from '../delivery/delivery.ts';
import type { Journal, SavedLease } from '../journal/journal.ts';
import { type HostSession, sessionKeyOf } from '../sessions/session.ts';

export interface Shown {
  readonly journal: Pick<Journal, 'waiting'>;
  readonly delivery: Pick<Delivery, 'reachOf'>;
  /** Whether our plugin is installed where this session would find it. */
  readonly hasPlugin: (session: HostSession) => boolean;
}

/** A live session as the person sees it, attached or not. */
export function sessionShown(deps: Shown, session: HostSession, lease: SavedLease | undefined): Session {
  const { pid, startTime, bootId } = session.process;
  const attachmentId = lease?.attachmentId ?? '';
  const { route, routeDetail } = deps.delivery.reachOf(session, attachmentId);
  return create(SessionSchema, {
    sessionKey: sessionKeyOf(session),
    provider: session.provider,
    sessionId: session.sessionId,
    process: create(ProcessKeySchema, { pid: BigInt(pid), startTime, bootId }),
    folder: session.folder,
    title: session.title,
    activity: session.activity,
    ...(session.startTime === undefined ? {} : { startTime: timestampFromDate(session.startTime) }),
    agentName: lease?.agentName ?? '',
    attachmentId,
    route,
    routeDetail,
    hasPlugin: deps.hasPlugin(session),
    waiting: lease === undefined ? 0 : deps.journal.waiting(attachmentId).count,
  });
}

/** What a chat has without our plugin, and what brings the rest (ATT-12). */
export const withoutPlugin = (provider: string): string =>
  `This chat is without our plugin: its agent answers by agentworks bridge message in its shell. The tools come with agentworks plugins install ${provider} and a restart of the chat.`;
