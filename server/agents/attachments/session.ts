import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import { Problem } from '../../core/problem.ts';
import { checkShowable } from '../showable.ts';
import type { Session } from './store/leases.ts';

/** A session is exact or it is refused: a process without its start time could be any later one (ATT-4, BRG-9). */
export function checkSession(session: Session): void {
  checkShowable(session.provider, 'provider');
  checkShowable(session.computer, 'computer');
  if (session.pid <= 0n) throw missing('process.pid');
  if (session.processStart === '') throw missing('process.start_time');
}

const missing = (field: string) =>
  new Problem(Reason.BAD_FIELD, `${field} is missing; attaching needs the exact session and its process`, {
    subject: field,
  });
