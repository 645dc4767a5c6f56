import { toJson } from '@bufbuild/protobuf';
import { type Agent, AgentSchema } from '#gen/agentworks/agents/v1/agents_pb.ts';
import { type Session, SessionSchema } from '#gen/agentworks/bridge/v1/local_pb.ts';
import { openBridge } from '../../../bridge/socket/ask.ts';
import { findBridge } from '../../../bridge/socket/find.ts';
import { whereIs } from '../../../bridge/socket/where.ts';
import { command, type Context } from '../../command.ts';
import { isOn } from '../../faces/face.ts';
import { canDraw } from '../../screens/can-draw.ts';
import { Live } from './live.ts';
import { overviewTable } from './overview-table.ts';

/** How often a screen is drawn anew at most. */
const QUICK_MS = 100;
const CALM_MS = 5_000;

export const overview = command({
  description:
    'live: a message wakes it. hooks: it takes messages at its next turn. mailbox-only: it reads when it likes.\noffline: its session or its bridge is away; messages wait. A chat attached on this computer has its folder beside it.\nAt a terminal it follows every change until you leave; agents list prints once.',
  options: {},
  examples: ['agentworks agents', 'agentworks agents --json | jq -r ".sessions[].agentName"'],
  async run(context) {
    if (canDraw(context)) return follow(context);
    print(context, await directory(context), await attachedHere(context));
  },
});

/** Followed on a screen until the person leaves; what it showed last stays in the terminal. */
async function follow(context: Context): Promise<void> {
  const { io, globals } = context;
  const live = new Live(isOn(io.env['AGENTWORKS_REDUCED_MOTION']) ? CALM_MS : QUICK_MS);
  const client = await context.client();
  const ending = new AbortController();
  const following = live.follow(client, whereIs(io.env, globals.config), ending.signal);
  const { showAgents } = await import('../../screens/show-agents.ts');
  // Whichever ends first: the person leaves, or the right to see it ends.
  await Promise.race([
    showAgents({ ...io, signal: AbortSignal.any([io.signal, ending.signal]) }, live),
    following,
  ]).finally(() => ending.abort());
  await following.catch(() => {});
  const { agents, sessions } = live.view();
  print(context, agents, sessions);
}

function print({ face }: Context, agents: readonly Agent[], sessions: readonly Session[]): void {
  const always = { alwaysEmitImplicit: true };
  face.document(
    {
      agents: agents.map((agent) => toJson(AgentSchema, agent, always)),
      sessions: sessions.map((session) => toJson(SessionSchema, session, always)),
    },
    () => overviewTable(agents, sessions),
  );
}

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
