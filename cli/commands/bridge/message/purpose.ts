import { SetPurposeResponseSchema } from '#gen/agentworks/bridge/v1/local_pb.ts';
import { command } from '../../../command.ts';
import { agentTable } from '../../agents/agent-table.ts';
import { askBridge, providerOption } from './ask-bridge.ts';

export const purpose = command({
  description: 'At most 512 characters, read by the other agents of the account. An empty one clears it.',
  options: providerOption,
  operand: { name: 'TEXT', summary: 'What it is for' },
  examples: ['agentworks bridge message purpose --provider claude "Keeps the checkout service green."'],
  async run(context, { provider }, operand = '') {
    const answer = await askBridge(context, provider, (local, asker) => local.setPurpose({ asker, purpose: operand }));
    context.face.result(SetPurposeResponseSchema, answer, () =>
      agentTable(answer.agent === undefined ? [] : [answer.agent]),
    );
  },
});
