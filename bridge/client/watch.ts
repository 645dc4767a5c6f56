import type { Message } from '#gen/agentworks/messages/v1/messages_pb.ts';
import { backoffMs, pause } from './backoff.ts';
import { Refusal } from './refusal.ts';
import { isTransient } from './send.ts';

/** What arrived, and where to go on from. */
export interface Batch {
  readonly messages: readonly Message[];
  readonly nextCursor: string;
}

export interface LastingOptions {
  readonly signal?: AbortSignal;
  /** Told when the stream breaks, before it is opened again. */
  readonly onBreak?: (refusal: Refusal) => void;
}

export interface WatchOptions extends LastingOptions {
  /** Cursor from an earlier batch or read; absent is the start. */
  readonly after?: string;
  /** The live attachment through which a child connection reads. */
  readonly attachmentId?: string;
}

/** Messages from a cursor on, across every break. */
export const watch = <B extends Batch>(
  open: (after: string, signal: AbortSignal) => AsyncIterable<B>,
  { after = '', ...options }: WatchOptions = {},
): AsyncGenerator<B, void, undefined> => lasting<B>((last, signal) => open(last?.nextCursor ?? after, signal), options);

/**
 * One stream that outlives its connections: after any break it is opened again, with what came last. It ends when the
 * signal says so, and throws when the right to read ends.
 */
export async function* lasting<T>(
  open: (last: T | undefined, signal: AbortSignal) => AsyncIterable<T>,
  { signal = new AbortController().signal, onBreak }: LastingOptions = {},
): AsyncGenerator<T, void, undefined> {
  let last: T | undefined;
  let failures = 0;
  while (!signal.aborted) {
    try {
      // Whoever stops iterating ends this loop too, and with it the stream.
      for await (const item of open(last, signal)) {
        failures = 0;
        last = item;
        yield item;
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
