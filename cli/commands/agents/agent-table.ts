import { type Agent, Presence, PresenceSchema } from '#gen/agentworks/agents/v1/agents_pb.ts';
import type { Shown } from '../../faces/face.ts';
import type { Standing, Tone } from '../../faces/theme.ts';
import { dateOf } from '../../faces/time.ts';
import { wordOf } from '../../faces/words.ts';

const tones: Partial<Record<Presence, Tone>> = {
  [Presence.LIVE]: 'good',
  [Presence.HOOKS]: 'steady',
  [Presence.MAILBOX_ONLY]: 'waiting',
  [Presence.OFFLINE]: 'away',
};

export const presenceOf = (presence: Presence): Standing => ({
  word: wordOf(PresenceSchema, presence),
  tone: tones[presence] ?? 'away',
});

export const agentTable = (agents: readonly Agent[]): Shown => ({
  columns: [
    { title: 'NAME' },
    { title: 'STATE' },
    { title: 'PROVIDER' },
    { title: 'ROUTE' },
    { title: 'SEEN' },
    { title: 'PURPOSE', gives: true },
  ],
  rows: agents.map((agent) => [
    agent.name,
    presenceOf(agent.presence),
    agent.provider,
    agent.route,
    dateOf(agent.lastSeenTime),
    // What stands in the way comes before what the agent is for.
    agent.wakeRefusal === '' ? agent.purpose : `not woken: ${agent.wakeRefusal}`,
  ]),
  empty: 'No agents yet. Give a program a name with: agentworks messages register --agent NAME',
});
