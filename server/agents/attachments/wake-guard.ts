import { Presence } from '#gen/agentworks/agents/v1/agents_pb.ts';
import { Wake } from '#gen/agentworks/messages/v1/messages_pb.ts';
import type { Database } from '../../core/database.ts';
import type { Reach } from '../reach.ts';
import { wakesSoFar } from './store/offers.ts';

/** How far agents may wake each other before a person looks (MSG-17). */
export interface Guard {
  readonly hops: number;
  readonly wakesPerPair: number;
  readonly wakesPerAccount: number;
}

export type WakeExpected = (
  orm: Database,
  message: {
    readonly accountId: string;
    /** Null is the account itself. */
    readonly fromAgentId: string | null;
    readonly toAgentId: string | null;
    readonly hop: number;
    readonly noWake: boolean;
    /** Undefined where nobody can be reached. */
    readonly reach: Reach | undefined;
  },
) => Promise<Wake>;

/** What a sender is told of the wake its message may cause. The guard is asked again, and charged, by the offer itself. */
export const openWakeExpected =
  (guard: Guard): WakeExpected =>
  async (orm, { accountId, fromAgentId, toAgentId, hop, noWake, reach }) => {
    if (noWake) return Wake.NOT_ASKED;
    if (toAgentId === null || reach === undefined) return Wake.MAILBOX_ONLY;
    if (reach.presence !== Presence.LIVE) return unwoken(reach.presence);
    if (hop > guard.hops) return Wake.REFUSED_HOPS;
    const sofar = await wakesSoFar(orm.em.fork(), { accountId, fromAgentId, toAgentId });
    if (sofar.pair >= guard.wakesPerPair) return Wake.REFUSED_PAIR;
    if (sofar.account >= guard.wakesPerAccount) return Wake.REFUSED_ACCOUNT;
    return Wake.EXPECTED;
  };

function unwoken(presence: Presence): Wake {
  switch (presence) {
    case Presence.HOOKS:
      return Wake.AT_TURN_BOUNDARY;
    case Presence.OFFLINE:
      return Wake.OFFLINE;
    default:
      return Wake.MAILBOX_ONLY;
  }
}
