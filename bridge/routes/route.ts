import type { HostSession } from '../sessions/session.ts';

/** Whether a way in stands open now; if not, why, in a few words for the person. */
type Reach = { readonly ok: true; readonly wakes: boolean } | { readonly ok: false; readonly why: string };

/** `failed`: surely not delivered. `ambiguous`: it may have been, so it is never tried again (BRG-7). */
export type Outcome = 'accepted' | 'ambiguous' | { readonly failed: string };

/** What a host says later of a text that it took and did not show at once. */
export type Status = 'held' | 'let in' | 'refused';

export type OnStatus = (status: Status) => void;

/** One way in to a session that is open at any time. What is told at a turn boundary is asked for, not pushed. */
export interface Route {
  readonly name: string;
  readonly maxBytes: number;
  reach(session: HostSession): Reach;
  /** Whoever calls has verified this session just now: its process, its id, its socket's owner and mode (RTE-12). */
  offer(session: HostSession, text: string, onStatus: OnStatus): Promise<Outcome>;
}
