import type { JsonObject } from '@bufbuild/protobuf';
import { Code, ConnectError } from '@connectrpc/connect';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { ProblemSchema, Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import type { Log } from '../core/log.ts';
import { Problem } from '../core/problem.ts';
import { reasonName, shown } from '../rpc/answer.ts';

/** Both ways of answering, whole: some clients show a model only one of them. */
export const answered = (value: JsonObject): CallToolResult => ({
  content: [{ type: 'text', text: JSON.stringify(value) }],
  structuredContent: value,
});

/** A refusal in the words of every other door. No structured content: that is checked against the answer's schema. */
export const refused = (error: unknown, log: Log): CallToolResult => ({
  isError: true,
  content: [{ type: 'text', text: JSON.stringify(problemShown(problemOf(error, log))) }],
});

export function problemShown(problem: Problem): JsonObject {
  const { reason, subject, bound, sentence, suggestions } = shown(problem);
  return { reason: reasonName(reason), sentence, subject, bound: Number(bound), suggestions };
}

function problemOf(error: unknown, log: Log): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof ConnectError) {
    const [problem] = error.findDetails(ProblemSchema);
    if (problem !== undefined)
      return new Problem(problem.reason, problem.sentence, { ...problem, bound: Number(problem.bound) });
    if (error.code === Code.DeadlineExceeded)
      return new Problem(Reason.DEADLINE_EXCEEDED, 'the answer took too long; ask again, with the same submission_id');
  }
  log.error({ event: 'mcp.bug', err: error });
  return new Problem(Reason.INTERNAL, 'a fault of the server, written to its log; try again');
}
