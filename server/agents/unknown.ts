import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import type { Viewer } from '../access/bounds.ts';
import { limits } from '../core/limits.ts';
import { Problem } from '../core/problem.ts';
import type { Directory } from './directory.ts';

/** The refusal for a name that is not there, or that this account may not see: with names it may have meant. */
export async function unknownAgent(
  directory: Pick<Directory, 'suggest'>,
  viewer: Viewer,
  name: string,
  subject = 'agent_name',
): Promise<Problem> {
  const suggestions = await directory.suggest(viewer, name);
  const hint =
    suggestions.length > 0
      ? `did you mean ${suggestions.join(', ')}?`
      : '`agentworks messages list` shows the names there are';
  const said = JSON.stringify(name.slice(0, limits.agentNameCharacters.max));
  return new Problem(Reason.NOT_FOUND, `no agent is called ${said}; ${hint}`, { subject, suggestions });
}
