import { toJson } from '@bufbuild/protobuf';
import { type Agent, AgentSchema } from '#gen/agentworks/agents/v1/agents_pb.ts';
import { type Session, SessionSchema } from '#gen/agentworks/bridge/v1/local_pb.ts';
import { openBridge } from '../../../bridge/socket/ask.ts';
import { findBridge } from '../../../bridge/socket/find.ts';
import { whereIs } from '../../../bridge/socket/where.ts';
import { command, type Context } from '../../command.ts';
import { overviewTable } from './overview-table.ts';

export const overview = command({
  description:
    'live: a message wakes it. hooks: it takes messages at its next turn. mailbox-only: it reads when it likes.\noffline: its session or its bridge is away; messages wait. A chat attached on this computer has its folder beside it.',
  options: {},
  examples: ['agentworks agents', 'agentworks agents --json | jq -r ".sessions[].agentName"'],
  async run(context) {
    const [agents, sessions] = [await directory(context), await attachedHere(context)];
    const always = { alwaysEmitImplicit: true };
    context.face.document(
      {
        agents: agents.map((agent) => toJson(AgentSchema, agent, always)),
        sessions: sessions.map((session) => toJson(SessionSchema, session, always)),
      },
      () => overviewTable(agents, sessions),
    );
  },
});

async function directory({ client }: Context): Promise<readonly Agent[]> {
  const { agents } = await client();
  const found: Agent[] = [];
  for (let after = ''; ;) {
    const page = await agents.list({ after });
    found.push(...page.agents);
    if (page.nextCursor === '') return found;
    after = page.nextCursor;
  }
}

/** What the bridge carries; nothing where none runs, and none is started to look. */
async function attachedHere({ io, globals }: Context): Promise<readonly Session[]> {
  const where = whereIs(io.env, globals.config);
  if ((await findBridge(where)) === undefined) return [];
  const bridge = await openBridge(where);
  try {
    return (await bridge.local.getStatus({})).status?.sessions ?? [];
  } finally {
    bridge.close();
  }
}
