import type { Agent } from '#gen/agentworks/agents/v1/agents_pb.ts';
import type { Session } from '#gen/agentworks/bridge/v1/local_pb.ts';
import type { Shown } from '../../faces/face.ts';
import type { Cell } from '../../faces/table.ts';
import { dateOf } from '../../faces/time.ts';
import { presenceOf } from './agent-table.ts';

/** The directory, with what only this computer knows beside it: where the chat works, and what waits for it here. */
export const overviewTable = (agents: readonly Agent[], sessions: readonly Session[]): Shown => ({
  columns: [
    { title: 'NAME' },
    { title: 'STATE' },
    { title: 'PROVIDER' },
    { title: 'ROUTE' },
    { title: 'WAITING' },
    { title: 'SEEN' },
    { title: 'HERE IN' },
    { title: 'PURPOSE', gives: true },
  ],
  rows: agents.map((agent) =>
    row(
      agent,
      sessions.find(({ agentName }) => agentName === agent.name),
    ),
  ),
  empty:
    'No agents yet. Attach a live chat with: agentworks attach; name a program with: agentworks messages register --agent NAME',
});

const row = (agent: Agent, here: Session | undefined): readonly Cell[] => [
  agent.name,
  presenceOf(agent.presence),
  agent.provider,
  agent.route,
  here === undefined || here.waiting === 0 ? undefined : here.waiting,
  dateOf(agent.lastSeenTime),
  here?.folder,
  purposeOf(agent, here),
];

/** What stands in the way comes before what the agent is for. */
function purposeOf({ wakeRefusal, purpose }: Agent, here: Session | undefined): string {
  if (wakeRefusal !== '') return `not woken: ${wakeRefusal}`;
  return here === undefined || here.routeDetail === '' ? purpose : here.routeDetail;
}
