import { Presence } from '#gen/agentworks/agents/v1/agents_pb.ts';

/** How an agent can be reached now. Says nothing of what its client accepted (AGT-6). */
export interface Reach {
  readonly presence: Presence;
  /** The way in that its bridge chose; empty when none. */
  readonly route: string;
  /** Whether that way in can start a turn. */
  readonly wakes: boolean;
  readonly lastSeenTime: Date | undefined;
}

/** What is known of the lease of an agent. */
export interface LeaseFacts {
  readonly attached: boolean;
  /** Its bridge holds a link on a node that is alive, and its child and login are. */
  readonly linked: boolean;
  readonly wakes: boolean;
  readonly needs_confirmation: boolean;
}

export function presenceOf(lease: LeaseFacts): Presence {
  if (!lease.attached) return Presence.MAILBOX_ONLY;
  // Nothing is delivered before the person confirms: for a sender that is a session which is not there yet (ATT-9).
  if (!lease.linked || lease.needs_confirmation) return Presence.OFFLINE;
  return lease.wakes ? Presence.LIVE : Presence.HOOKS;
}
