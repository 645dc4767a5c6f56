import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import { type Limit, limits } from '../../core/limits.ts';
import { Problem } from '../../core/problem.ts';
import { checkProvider } from '../texts.ts';
import type { Session } from './store/leases.ts';

/** A session is exact or it is refused: nothing here is guessed or shortened (ATT-4). */
export function checkSession(session: Session): void {
  if (session.provider === '') throw missing('provider');
  checkProvider(session.provider);
  if (session.sessionId === '') throw missing('session_id');
  checkShort('session_id', session.sessionId, limits.sessionIdCharacters);
  if (session.pid <= 0n) throw missing('process.pid');
  if (session.processStart === '') throw missing('process.start_time');
  checkShort('process.start_time', session.processStart, limits.processCharacters);
  checkShort('process.boot_id', session.bootId, limits.processCharacters);
  checkShort('computer', session.computer, limits.computerCharacters);
  checkSize('folder', Buffer.byteLength(session.folder), limits.folderBytes);
  if (session.folder.includes('\0')) throw unreadable('folder');
}

function checkShort(field: string, text: string, limit: Limit): void {
  checkSize(field, text.length, limit);
  if (/[\p{Cc}\p{Cs}]/u.test(text)) throw unreadable(field);
}

function checkSize(field: string, size: number, { max, unit }: Limit): void {
  if (size > max)
    throw new Problem(Reason.LIMIT_EXCEEDED, `${field} has ${size} ${unit}; the limit is ${max}`, {
      subject: field,
      bound: max,
    });
}

const missing = (field: string) =>
  new Problem(Reason.BAD_FIELD, `${field} is missing; attaching needs the exact session and its process`, {
    subject: field,
  });

const unreadable = (field: string) =>
  new Problem(Reason.BAD_FIELD, `${field} holds control characters; give it as the host says it`, { subject: field });
