import { RegisterResponseSchema } from '#gen/agentworks/agents/v1/agents_pb.ts';
import { command, Usage } from '../../command.ts';
import { many, required, text } from '../../options.ts';
import { agentTable } from '../agents/agent-table.ts';

export const register = command({
  description:
    'ASCII letters, digits, ".", "_" and "-", first a letter or digit, 1 to 64 characters; found without regard to case.\nRegistering a name again keeps its identity and its messages, and changes only what is given.',
  options: {
    agent: required('NAME', 'The name'),
    provider: text('WORD', 'What kind of program: claude, codex, script …'),
    purpose: text('TEXT', 'What the agent is for, at most 512 characters'),
    allowConnection: many('ID', 'Another connection of the account that may use the name; "none" clears the list'),
  },
  examples: [
    'agentworks messages register --agent shop-lead --purpose "Keeps the checkout service green."',
    'agentworks messages register --agent shop-lead --allow-connection con_01ABC --allow-connection con_01DEF',
    'agentworks messages register --agent shop-lead --allow-connection none',
  ],
  async run({ face, client }, { agent, provider, purpose, allowConnection = [] }) {
    const answer = await (
      await client()
    ).agents.register({
      agentName: agent,
      ...(provider === undefined ? {} : { provider }),
      ...(purpose === undefined ? {} : { purpose }),
      ...(allowConnection.length === 0 ? {} : { allowedConnectionIds: { values: allowed(allowConnection) } }),
    });
    const stored = answer.agent;
    face.result(RegisterResponseSchema, answer, () => agentTable(stored === undefined ? [] : [stored]));
    face.say(`Others write to it with: agentworks messages send --target agent:${stored?.name} --message TEXT`);
    face.say(`It reads with: agentworks messages read --agent ${stored?.name}`);
  },
});

/** Absent keeps the list, and "none" clears it: an empty value says the same. */
function allowed(ids: readonly string[]): string[] {
  const named = ids.filter((id) => id !== 'none' && id !== '');
  if (named.length > 0 && named.length < ids.length)
    throw new Usage('--allow-connection none clears the list, and cannot stand beside an id.');
  return named;
}
