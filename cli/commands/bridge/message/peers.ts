import { ListPeersResponseSchema } from '#gen/agentworks/bridge/v1/local_pb.ts';
import { command } from '../../../command.ts';
import { agentTable } from '../../agents/agent-table.ts';
import { askBridge, providerOption } from './ask-bridge.ts';

export const peers = command({
  description: "A purpose is the other agent's own text.",
  options: providerOption,
  examples: ['agentworks bridge message peers --provider claude'],
  async run(context, { provider }) {
    const answer = await askBridge(context, provider, (local, asker) => local.listPeers({ asker }));
    context.face.result(ListPeersResponseSchema, answer, () => ({
      ...agentTable(answer.agents),
      empty: 'No other agent is registered yet.',
    }));
  },
});
