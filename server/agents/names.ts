import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import { limits } from '../core/limits.ts';
import { Problem } from '../core/problem.ts';

const NAME = new RegExp(`^[A-Za-z0-9][A-Za-z0-9._-]{0,${limits.agentNameCharacters.max - 1}}$`);

/** Whether this could be a name at all: spares the database every guess, and text it would refuse. */
export const isName = (name: string): boolean => NAME.test(name);

/** Names are compared without case; being ASCII, they fold the same way everywhere (AGT-1). */
export const foldName = (name: string): string => name.toLowerCase();

export function checkName(name: string): void {
  if (!isName(name))
    throw new Problem(
      Reason.BAD_FIELD,
      'a name holds ASCII letters, digits, `.`, `_` and `-`, and begins with a letter or digit; choose another',
      { subject: 'agent_name' },
    );
}
