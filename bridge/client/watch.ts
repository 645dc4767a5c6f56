import type { Message } from '#gen/agentworks/messages/v1/messages_pb.ts';
import { backoffMs, pause } from './backoff.ts';
import { Refusal } from './refusal.ts';
import { isTransient } from './send.ts';

/** What arrived, and where to go on from. */
export interface Batch {
  readonly messages: readonly Message[];
  readonly nextCursor: string;
}

export interface WatchOptions {
  /** Cursor from an earlier batch or read; absent is the start. */
  readonly after?: string;
  readonly signal?: AbortSignal;
  /** The live attachment through which a child connection reads. */
  readonly attachmentId?: string;
  /** Told when the stream breaks, before it is opened again. */
  readonly onBreak?: (refusal: Refusal) => void;
}

/**
 * One stream that outlives its connections: after any break it goes on from the last cursor. It ends when the signal
 * says so, and throws when the right to read ends.
 */
export async function* watch<B extends Batch>(
  open: (after: string, signal: AbortSignal) => AsyncIterable<B>,
  { after = '', signal = new AbortController().signal, onBreak }: WatchOptions = {},
): AsyncGenerator<B, void, undefined> {
  let cursor = after;
  let failures = 0;
  while (!signal.aborted) {
    try {
      // Whoever stops iterating ends this loop too, and with it the stream.
      for await (const batch of open(cursor, signal)) {
        failures = 0;
        cursor = batch.nextCursor;
        yield batch;
      }
      failures += 1;
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof Refusal) || !isTransient(error.reason)) throw error;
      failures += 1;
      onBreak?.(error);
    }
    await pause(backoffMs(failures), signal);
  }
}
