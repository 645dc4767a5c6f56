import { WatchDirectoryResponseSchema } from '#gen/agentworks/agents/v1/agents_pb.ts';
import { command } from '../../command.ts';
import { Breaks } from '../breaks.ts';
import { agentTable } from './agent-table.ts';

export const watch = command({
  description:
    'Runs until Ctrl-C, or until the right to see the directory ends. After a break it begins with the whole directory again.',
  options: {},
  examples: ['agentworks agents watch', 'agentworks agents watch --json | jq -c ".agents[].name"'],
  async run({ io, face, client }) {
    const names = new Map<string, string>();
    const breaks = new Breaks(face);
    const { onBreak } = breaks;
    for await (const change of (await client()).watchDirectory({ signal: io.signal, onBreak })) {
      breaks.back('Connected again. This is the whole directory.');
      face.result(WatchDirectoryResponseSchema, change, () => ({ ...agentTable(change.agents), empty: '' }));
      for (const { agentId, name } of change.agents) names.set(agentId, name);
      for (const id of change.removedAgentIds) face.say(`${names.get(id) ?? id} is gone.`);
    }
    io.signal.throwIfAborted();
  },
});
