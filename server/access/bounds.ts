import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import { limits } from '../core/limits.ts';
import { Problem } from '../core/problem.ts';

/** Who looks. What their connection may not reach is not there for them. */
export interface Viewer {
  readonly accountId: string;
  /** As `agent:name`, folded; null: everyone of the account. */
  readonly targets: readonly string[] | null;
}

const AGENT = new RegExp(`^agent:[a-z0-9][a-z0-9._-]{0,${limits.agentNameCharacters.max - 1}}$`);

/** The targets as they are kept: each once, without regard to case. */
export function readTargets(words: readonly string[]): string[] {
  const targets = [...new Set(words.map((word) => word.toLowerCase()))];
  const wrong = targets.find((target) => !AGENT.test(target));
  if (wrong === undefined) return targets;
  throw new Problem(
    Reason.BAD_FIELD,
    `${JSON.stringify(wrong.slice(0, limits.targetCharacters.max))} is no target of a connection; name agents as \`agent:NAME\`, or give none for everyone`,
    { subject: 'targets' },
  );
}

/** The account itself, which has no name, is kept from nobody. */
export const mayReach = ({ targets }: Pick<Viewer, 'targets'>, name: string): boolean =>
  targets === null || name === '' || targets.includes(`agent:${name.toLowerCase()}`);

/** What both have; null is everything. */
export function both<T extends string>(a: readonly T[] | null, b: readonly T[] | null): readonly T[] | null {
  if (a === null || b === null) return a ?? b;
  return a.filter((one) => b.includes(one));
}
