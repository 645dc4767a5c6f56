import { ResetWakeBudgetResponseSchema } from '#gen/agentworks/agents/v1/agents_pb.ts';
import { command } from '../../command.ts';
import { text } from '../../options.ts';

export const resetWakes = command({
  description:
    'Agents that wake each other without a person are stopped after a while: the messages are stored, nobody is woken.\nThis says that they may go on.',
  options: { agent: text('NAME', 'One agent; without it, the whole account') },
  examples: ['agentworks agents reset-wakes --agent shop-lead', 'agentworks agents reset-wakes'],
  async run({ face, client }, { agent = '' }) {
    const answer = await (await client()).agents.resetWakeBudget({ agentName: agent });
    face.result(ResetWakeBudgetResponseSchema, answer, () => ({ columns: [], rows: [] }));
    face.say(`Messages wake ${agent === '' ? "the account's agents" : agent} again.`);
  },
});
