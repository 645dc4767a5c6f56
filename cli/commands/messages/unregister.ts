import { UnregisterResponseSchema } from '#gen/agentworks/agents/v1/agents_pb.ts';
import { command } from '../../command.ts';
import { required } from '../../options.ts';

export const unregister = command({
  description: 'A later registration of the same name is a new identity: old conversations never reach it.',
  options: { agent: required('NAME', 'The name') },
  examples: ['agentworks messages unregister --agent shop-lead'],
  async run({ face, client }, { agent }) {
    const answer = await (await client()).agents.unregister({ agentName: agent });
    face.result(UnregisterResponseSchema, answer, () => ({ columns: [], rows: [] }));
    face.say(`${agent} is unregistered. Its messages stay.`);
  },
});
