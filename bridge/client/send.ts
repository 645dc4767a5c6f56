import { randomUUID } from 'node:crypto';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { SendRequestSchema, type SendResponse } from '#gen/agentworks/messages/v1/messages_pb.ts';
import { backoffMs, pause } from './backoff.ts';
import type { Submit } from './link.ts';
import { type ReasonName, Refusal } from './refusal.ts';
import { checkRequest } from './request.ts';

export interface SendOptions {
  readonly signal?: AbortSignal;
  /** Keep trying for this long while the server is away. Default: 60 s. */
  readonly patienceMs?: number;
}

/** Whether the act was done is not known, or it was surely not: the same submission id makes another try safe. */
export const isTransient = (reason: ReasonName): boolean => reason === 'UNAVAILABLE' || reason === 'DEADLINE_EXCEEDED';

/** Sends once, however often it must ask: every attempt carries one submission id (MSG-3). */
export async function send(
  submit: Submit,
  input: MessageInitShape<typeof SendRequestSchema>,
  { signal, patienceMs = 60_000 }: SendOptions = {},
): Promise<SendResponse> {
  checkRequest(SendRequestSchema, input);
  const request = { ...input, submissionId: input.submissionId || randomUUID() };
  const until = performance.now() + patienceMs;
  let isUnsent = true;
  for (let failures = 1; ; failures += 1) {
    try {
      return await submit(request, signal);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      isUnsent &&= error.isUnsent;
      // An earlier attempt may have arrived, whatever became of this one.
      const refusal = isUnsent ? error : error.asSent();
      if (!isTransient(error.reason) || signal?.aborted === true) throw refusal;
      const delay = backoffMs(failures);
      if (performance.now() + delay > until) throw refusal;
      await pause(delay, signal);
    }
  }
}
