import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import { Problem } from '../../core/problem.ts';

/** One answer for a lease that ended, never was, or is somebody else's: from outside they look the same. */
export const leaseEnded = (): Problem =>
  new Problem(Reason.LEASE_ENDED, 'this attachment was replaced, detached or revoked, or is not yours; attach again', {
    subject: 'attachment_id',
  });
