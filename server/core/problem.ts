import type { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';

/** A refusal the caller can act on. Anything else that is thrown is a bug. */
export class Problem extends Error {
  readonly reason: Reason;
  readonly subject: string;
  readonly bound: number;
  readonly suggestions: readonly string[];

  constructor(
    reason: Reason,
    sentence: string,
    about: { subject?: string; bound?: number; suggestions?: readonly string[] } = {},
  ) {
    super(sentence);
    this.name = 'Problem';
    this.reason = reason;
    this.subject = about.subject ?? '';
    this.bound = about.bound ?? 0;
    this.suggestions = about.suggestions ?? [];
  }
}
