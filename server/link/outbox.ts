import type { MessageInitShape } from '@bufbuild/protobuf';
import type { LinkResponseSchema, ResultSchema } from '#gen/agentworks/bridge/v1/bridge_pb.ts';
import { limits } from '../core/limits.ts';

export type Down = MessageInitShape<typeof LinkResponseSchema>;
type Result = MessageInitShape<typeof ResultSchema>;

/** What waits to go down a link. Results that came due together leave in one frame. */
export class Outbox {
  readonly #frames: Down[] = [];
  readonly #results: Result[] = [];
  readonly #wake: () => void;

  constructor(wake: () => void) {
    this.#wake = wake;
  }

  put(frame: NonNullable<Down['frame']>): void {
    this.#frames.push({ frame });
    this.#wake();
  }

  answer(tag: bigint, outcome: NonNullable<Result['outcome']>): void {
    this.#results.push({ tag, outcome });
    this.#wake();
  }

  take(): Down | undefined {
    const frame = this.#frames.shift();
    if (frame !== undefined || this.#results.length === 0) return frame;
    const results = this.#results.splice(0, limits.messagesPerFrame.max);
    return { frame: { case: 'results', value: { results } } };
  }
}
