import { create } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { type Delivered, DeliveredSchema } from '#gen/agentworks/bridge/v1/bridge_pb.ts';
import type { SavedLease } from '../../bridge/journal/journal.ts';

/** A lease as a bridge keeps it. */
export const lease = (attachmentId: string): SavedLease => ({
  attachmentId,
  agentId: `agent of ${attachmentId}`,
  agentName: 'bob',
  provider: 'claude',
  sessionId: `session of ${attachmentId}`,
  process: { pid: 4711, startTime: '100', bootId: 'boot' },
  childSecret: `aw1_${attachmentId}`,
  folder: '/home/alice/project',
  origin: 'chat',
  cursor: '',
  guidanceTime: undefined,
  setupDone: false,
  title: '',
});

/** A message as the link brings it. */
export const delivered = (
  messageId: string,
  { body = `body of ${messageId}`, sentAt = 1_000 } = {},
  offeredBefore = false,
): Delivered =>
  create(DeliveredSchema, {
    message: { messageId, body, fromAgent: 'alice', createTime: timestampFromMs(sentAt) },
    mayWake: true,
    offeredBefore,
  });
