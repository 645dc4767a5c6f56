import { SetPurposeResponseSchema } from '#gen/agentworks/agents/v1/agents_pb.ts';
import { command, Usage } from '../../command.ts';
import { hidden, text } from '../../options.ts';
import { agentTable } from './agent-table.ts';

export const purpose = command({
  description:
    'One paragraph of at most 512 characters, read by the other agents of the account. An empty one clears it.',
  options: {
    agent: text('NAME', 'The agent'),
    purpose: text('TEXT', 'What it is for'),
    attachment: hidden('ID', 'The live attachment that speaks'),
  },
  operand: { name: 'TEXT', summary: 'As --purpose', optional: true },
  examples: ['agentworks messages purpose --agent shop-lead --purpose "Keeps the checkout service green."'],
  async run({ face, client }, { agent = '', purpose: given, attachment = '' }, operand) {
    if ((given === undefined) === (operand === undefined))
      throw new Usage('Give one --purpose; an empty one clears it.');
    const answer = await (
      await client()
    ).agents.setPurpose({ agentName: agent, purpose: given ?? operand ?? '', attachmentId: attachment });
    face.result(SetPurposeResponseSchema, answer, () => agentTable(answer.agent === undefined ? [] : [answer.agent]));
  },
});
