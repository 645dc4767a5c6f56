import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import type { Presence } from '#gen/agentworks/agents/v1/agents_pb.ts';
import type { Wake } from '#gen/agentworks/messages/v1/messages_pb.ts';
import { mayReach } from '../access/bounds.ts';
import type { Known } from '../access/callers.ts';
import type { WakeExpected } from '../agents/attachments/wake-guard.ts';
import type { Database } from '../core/database.ts';
import { Problem } from '../core/problem.ts';
import type { Batcher } from './batcher.ts';
import { decide, type DecideDeps, normalised, type SendInput } from './decide.ts';
import { requireLease } from './read.ts';
import { earlier, maySpeakAs, type Refusal } from './store/submissions.ts';
import { type Answer, answersOf, digestOf, identityOf, type Submission } from './submission.ts';

export interface SendDeps extends DecideDeps {
  readonly orm: Database;
  readonly batcher: Batcher;
  readonly wakeExpected: WakeExpected;
}

/** One recipient, and what the sender needs to know of it now (MSG-1). */
export interface Sent extends Answer {
  readonly presence: Presence;
  readonly lastSeenTime: Date | undefined;
  readonly wake: Wake;
}

/** Keeps what a stream submits in its order, although each decision takes its own time. */
export type InTurn = <T>(ready: Promise<T>) => Promise<T>;

/** Answers after the flush, or with what the same submission stored before (MSG-1, MSG-3). */
export async function send(
  deps: SendDeps,
  caller: Known,
  input: SendInput,
  inTurn: InTurn = (ready) => ready,
): Promise<Sent[]> {
  for (let attempt = 0; ; attempt++) {
    const decided = decide(deps, caller, input).catch((error: unknown) => retold(deps, caller, input, error));
    const submission = await inTurn(decided);
    if (isTold(submission)) return told(deps, caller, submission, input.noWake, 0);
    const { refusal, hop } = await deps.batcher.store(submission);
    if (refusal === null && submission.agentId !== null) deps.agents.seen(submission.agentId);
    if (refusal === null) return told(deps, caller, withSender(submission), input.noWake, hop);
    const first = await firstOf(deps, submission, refusal);
    if (first !== undefined && areSeen(caller, first.answers)) return told(deps, caller, first, input.noWake, 0);
    // Remembered names may be out of date, and a claim may have been rolled back: look again before refusing.
    for (const copy of submission.copies) deps.agents.forget(caller.accountId, copy.toAgent);
    deps.agents.forget(caller.accountId, submission.fromAgent);
    if (attempt === 2 || !['gone', 'no_sender', 'lost'].includes(refusal)) throw refused(refusal, submission);
  }
}

interface Told {
  readonly agentId: string | null;
  readonly answers: readonly Answer[];
}

const isTold = (value: Submission | Told): value is Told => 'answers' in value;
const withSender = (submission: Submission): Told => ({ agentId: submission.agentId, answers: answersOf(submission) });

/** The recipient may be gone by now: a retry still gets the answer that the first send got (MSG-3). */
async function retold(deps: SendDeps, caller: Known, input: SendInput, error: unknown): Promise<Told> {
  if (!(error instanceof Problem) || error.reason !== Reason.NOT_FOUND || input.submissionId === '') throw error;
  const sender = await speakerOf(deps, caller, input);
  if (sender === undefined) throw error;
  const found = await before(deps, sender ?? caller.accountId, input.submissionId, digestOf(normalised(input)));
  if (found === undefined || !areSeen(caller, found)) throw error;
  return { agentId: sender, answers: found };
}

/** Of whom the caller may still hear. */
const areSeen = (caller: Known, answers: readonly Answer[]): boolean =>
  answers.every(({ toAgent }) => mayReach(caller, toAgent));

/** Whose earlier sends the caller may hear of: the storing statement, which judges a sender, is not reached. */
async function speakerOf(deps: SendDeps, caller: Known, input: SendInput): Promise<string | null | undefined> {
  const em = deps.orm.em.fork();
  await requireLease(em, caller, input.attachmentId);
  if (caller.kind === 'child') return caller.agentId;
  if (input.agentName === '') return null;
  const agent = await deps.agents.find(caller, input.agentName);
  return agent !== undefined && (await maySpeakAs(em, caller.connectionId, agent.id)) ? agent.id : undefined;
}

/** What the same submission id stored before. */
async function firstOf(deps: SendDeps, submission: Submission, refusal: Refusal): Promise<Told | undefined> {
  const { submissionId } = submission;
  if (submissionId === null || !['lost', 'gone', 'no_reply_to'].includes(refusal)) return undefined;
  const found = await before(deps, identityOf(submission), submissionId, submission.digest);
  return found && { agentId: submission.agentId, answers: found };
}

/** Other content under the same id is a conflict that names the first's ids (MSG-3). */
async function before(
  deps: SendDeps,
  identity: string,
  submissionId: string,
  digest: string,
): Promise<readonly Answer[] | undefined> {
  const [found] = await earlier(deps.orm.em.fork(), [{ identity, submissionId }]);
  if (found === undefined || found.digest === digest) return found?.answers;
  const first = found.answers[0]!;
  throw new Problem(
    Reason.SUBMISSION_CONFLICT,
    `submission id ${submissionId} was used for message ${first.messageId} in conversation ${first.conversationId} with other content; use a new one`,
    { subject: first.messageId },
  );
}

async function told(
  deps: SendDeps,
  caller: Known,
  { agentId, answers }: Told,
  noWake: boolean,
  hop: number,
): Promise<Sent[]> {
  const known = answers.flatMap((answer) => (answer.toAgentId === null ? [] : [answer.toAgentId]));
  const reach = known.length === 0 ? new Map<string, never>() : await deps.agents.reach(known);
  return Promise.all(
    answers.map(async (answer) => {
      const at = answer.toAgentId === null ? undefined : reach.get(answer.toAgentId);
      const wake = await deps.wakeExpected(deps.orm, {
        accountId: caller.accountId,
        fromAgentId: agentId,
        toAgentId: answer.toAgentId,
        hop,
        noWake,
        reach: at,
      });
      return { ...answer, presence: at?.presence ?? MAILBOX_ONLY, lastSeenTime: at?.lastSeenTime, wake };
    }),
  );
}

/** A side without a name, or a name that is gone, has nobody listening. */
const MAILBOX_ONLY: Presence = 3;

function refused(refusal: Refusal, submission: Submission): Problem {
  switch (refusal) {
    case 'signed_out':
      return new Problem(Reason.SIGNED_OUT, 'the connection was revoked or expired; run `agentworks login`');
    case 'lease_ended':
      return new Problem(Reason.LEASE_ENDED, 'this attachment was replaced or detached; attach again', {
        subject: 'attachment_id',
      });
    case 'not_allowed':
      return new Problem(
        Reason.NOT_ALLOWED,
        `this connection may not speak as ${submission.fromAgent}; register it from here, or allow connection ${submission.connectionId} with --allow-connection`,
        { subject: 'agent_name' },
      );
    case 'no_sender':
      return new Problem(Reason.NOT_FOUND, `${submission.fromAgent} was unregistered; register the name again`, {
        subject: 'agent_name',
      });
    case 'no_reply_to':
      return new Problem(Reason.NOT_FOUND, 'in_reply_to names no message that this sender sent or received', {
        subject: 'in_reply_to',
      });
    case 'gone':
      return new Problem(Reason.NOT_FOUND, 'the recipient was unregistered; its old conversations reach nobody', {
        subject: submission.copies[0]!.fresh ? 'target' : 'inbox_id',
      });
    case 'lost':
      return new Problem(Reason.UNAVAILABLE, 'the submission clashed with another that ended just now; send it again');
  }
}
