import { type Agent, GetResponseSchema } from '#gen/agentworks/agents/v1/agents_pb.ts';
import { command } from '../../command.ts';
import type { Cell } from '../../faces/table.ts';
import { dateOf } from '../../faces/time.ts';
import { presenceOf } from './agent-table.ts';

export const get = command({
  options: {},
  operand: { name: 'NAME', summary: "The agent's name" },
  examples: ['agentworks agents get shop-lead'],
  async run({ face, client }, _given, agentName = '') {
    const answer = await (await client()).agents.get({ agentName });
    face.result(GetResponseSchema, answer, () => ({
      columns: [{ title: '' }, { title: '' }],
      rows: answer.agent === undefined ? [] : rowsOf(answer.agent),
    }));
  },
});

const rowsOf = (agent: Agent): (readonly Cell[])[] =>
  (
    [
      ['name', agent.name],
      ['id', agent.agentId],
      ['state', presenceOf(agent.presence)],
      ['route', agent.route],
      ['provider', agent.provider],
      ['purpose', agent.purpose],
      ['seen', dateOf(agent.lastSeenTime)],
      ['registered', dateOf(agent.createTime)],
      ...agent.allowedConnectionIds.map((id) => ['allowed', id] as const),
      ['not woken', agent.wakeRefusal],
    ] as const
  ).filter(([, value]) => value !== '' && value !== undefined);
