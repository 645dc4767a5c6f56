import type { Clock } from '../core/clock.ts';
import { limits } from '../core/limits.ts';
import type { SiteRequest } from '../http/site.ts';

interface Refusal {
  readonly status: number;
  readonly error: string;
  readonly sentence: string;
}

const MINUTE_MS = 60_000;

/** Anybody may register a client, so what that may cost is bounded on each node. */
export class Registrations {
  readonly #clock: Clock;
  #since = 0;
  #count = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  refusal(request: SiteRequest): Refusal | undefined {
    if (request.method !== 'POST') return undefined;
    const { max } = limits.registrationBytes;
    const length = Number(request.headers['content-length'] ?? Number.NaN);
    // Whoever does not say how much it is could send without end.
    if (!(length <= max))
      return {
        status: Number.isNaN(length) ? 411 : 413,
        error: 'invalid_client_metadata',
        sentence: `a registration says its length, and is at most ${max} bytes`,
      };
    if (this.mayBegin()) return undefined;
    return {
      status: 429,
      error: 'temporarily_unavailable',
      sentence: `more than ${limits.registrationsPerMinute.max} clients came within a minute; try again in one`,
    };
  }

  /** Whether one more client may be looked at now: one that registers, or one whose description must be fetched. */
  mayBegin(): boolean {
    const now = this.#clock.now();
    if (now - this.#since > MINUTE_MS) {
      this.#since = now;
      this.#count = 0;
    }
    this.#count++;
    return this.#count <= limits.registrationsPerMinute.max;
  }
}
