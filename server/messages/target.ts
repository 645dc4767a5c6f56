import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import { Problem } from '../core/problem.ts';

/** Whom a message is for, as the sender wrote it (MSG-7). */
export type Target =
  | { readonly kind: 'agent'; readonly name: string }
  | { readonly kind: 'everyone' }
  | { readonly kind: 'crew' | 'workflow'; readonly name: string };

const FORMS = '`agent:NAME`, `agent:*`, `crew:NAME` or `workflow:NAME`';

export function readTarget(written: string): Target {
  const [, kind, name] = /^(agent|crew|workflow):(.+)$/is.exec(written) ?? [];
  if (kind === undefined || name === undefined)
    throw new Problem(Reason.BAD_FIELD, `target must be ${FORMS}`, { subject: 'target' });
  const folded = kind.toLowerCase() as 'agent' | 'crew' | 'workflow';
  if (folded === 'agent' && name === '*') return { kind: 'everyone' };
  return { kind: folded, name };
}
