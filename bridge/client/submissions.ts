import { randomUUID } from 'node:crypto';
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { Result, SubmissionSchema } from '#gen/agentworks/bridge/v1/bridge_pb.ts';
import type { SendRequestSchema, SendResponse } from '#gen/agentworks/messages/v1/messages_pb.ts';
import { refused, Refusal } from './refusal.ts';

type Request = MessageInitShape<typeof SendRequestSchema>;

/** The server takes 500 submissions and 4 MiB a frame. */
const MOST_IN_FRAME = 500;
const MOST_BYTES_IN_FRAME = 2 * 1024 * 1024;
/** The server stops reading at 2,000 unanswered, and whoever is not read cannot answer a ping. */
const MOST_UNANSWERED = 1_000;
/** Beside the body: ids, a name, and metadata of at most 16 KiB. */
const BESIDE_BODY = 20 * 1024;

interface Entry {
  readonly tag: bigint;
  readonly request: Request;
  readonly giveUpAt: number;
  readonly resolve: (response: SendResponse) => void;
  readonly reject: (refusal: Refusal) => void;
}

/** What was given to a link: waiting to be sent, or sent and not answered. Everything is answered exactly once. */
export class Submissions {
  #waiting: Entry[] = [];
  readonly #unanswered = new Map<bigint, Entry>();
  #lastTag = 0n;

  add(request: Request, patienceMs: number, signal: AbortSignal | undefined): Promise<SendResponse> {
    return new Promise((resolve, reject) => {
      const tag = ++this.#lastTag;
      const leave = () => {
        this.#drop(tag);
        reject(canceled());
      };
      const done = () => signal?.removeEventListener('abort', leave);
      signal?.addEventListener('abort', leave, { once: true });
      this.#waiting.push({
        tag,
        request: { ...request, submissionId: request.submissionId || randomUUID() },
        giveUpAt: performance.now() + patienceMs,
        resolve: (response) => (done(), resolve(response)),
        reject: (refusal) => (done(), reject(refusal)),
      });
      if (signal?.aborted === true) leave();
    });
  }

  /** The next frame to send, or nothing while there is none or too much is unanswered. */
  take(): MessageInitShape<typeof SubmissionSchema>[] {
    const most = Math.min(MOST_IN_FRAME, MOST_UNANSWERED - this.#unanswered.size);
    let count = 0;
    for (let bytes = 0; count < most && count < this.#waiting.length; count++) {
      // A UTF-16 unit is at most three bytes.
      bytes += BESIDE_BODY + 3 * (this.#waiting[count]!.request.body?.length ?? 0);
      if (count > 0 && bytes > MOST_BYTES_IN_FRAME) break;
    }
    return this.#waiting.splice(0, count).map((entry) => {
      this.#unanswered.set(entry.tag, entry);
      return { tag: entry.tag, request: entry.request };
    });
  }

  answer({ tag, outcome }: Result): void {
    const entry = this.#unanswered.get(tag);
    // Whoever gave up is not waiting any more.
    if (entry === undefined) return;
    if (outcome.case === 'sent') entry.resolve(outcome.value);
    else if (outcome.case === 'problem') entry.reject(refused(outcome.value));
    else return;
    this.#unanswered.delete(tag);
  }

  /** After a break: everything unanswered goes again, first and in its order, with the ids it had (MSG-3). */
  rewind(): void {
    this.#waiting = [...this.#unanswered.values(), ...this.#waiting];
    this.#unanswered.clear();
  }

  /** Ends the wait of those whose patience is over. */
  expire(refusal: Refusal, now = performance.now()): void {
    this.#refuse(refusal, (entry) => entry.giveUpAt <= now);
  }

  refuseAll(refusal: Refusal): void {
    this.#refuse(refusal, () => true);
  }

  #refuse(refusal: Refusal, isMeant: (entry: Entry) => boolean): void {
    for (const entry of [...this.#unanswered.values(), ...this.#waiting])
      if (isMeant(entry)) {
        this.#drop(entry.tag);
        entry.reject(refusal);
      }
  }

  #drop(tag: bigint): void {
    if (this.#unanswered.delete(tag)) return;
    const at = this.#waiting.findIndex((entry) => entry.tag === tag);
    if (at !== -1) this.#waiting.splice(at, 1);
  }
}

const canceled = (): Refusal =>
  new Refusal('CANCELED', 'The send was given up before its answer; the same submission id is safe to send again.');
