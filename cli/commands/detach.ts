import { type DetachResponse, DetachResponseSchema } from '#gen/agentworks/bridge/v1/local_pb.ts';
import { Refusal } from '../../bridge/client/index.ts';
import type { Bridge } from '../../bridge/socket/ask.ts';
import { Answers, canAsk } from '../answers.ts';
import { askWhich } from '../attach/ask-which.ts';
import { hostAbove } from '../attach/host-above.ts';
import { openOrStart } from '../attach/open-bridge.ts';
import { command, type Context, Usage } from '../command.ts';
import { INTERRUPTED } from '../exit-codes.ts';

export const detach = command({
  description:
    'What is sent to the name waits in its mailbox. Run by an agent in its chat, it ends what the agent itself attached and\nnothing else.',
  options: {},
  operand: { name: 'NAME', summary: 'The attached name; without it, you are asked', optional: true },
  examples: ['agentworks detach reviewer', 'agentworks detach'],
  async run(context, _given, agentName = '') {
    const asker = hostAbove(context.io);
    if (asker !== undefined && agentName !== '')
      throw new Refusal('NOT_ALLOWED', 'An agent detaches its own chat only, and this runs in one: leave out NAME.', {
        subject: 'agent_name',
      });
    const bridge = await openOrStart(context);
    try {
      if (asker !== undefined) said(context, await bridge.local.detach({ asker }));
      else if (agentName !== '') said(context, await bridge.local.detach({ agentName }));
      else return await detachChosen(context, bridge);
    } finally {
      bridge.close();
    }
  },
});

async function detachChosen(context: Context, bridge: Bridge): Promise<number | void> {
  const { io, face } = context;
  const { sessions } = await bridge.local.listSessions({});
  const attached = sessions.filter(({ agentName }) => agentName !== '');
  if (attached.length === 0) {
    const sentence =
      'No live chat of this computer is attached. One that ended is detached by its name: agentworks agents';
    throw new Refusal('NOT_FOUND', sentence);
  }
  if (!canAsk(io))
    throw new Usage(
      `Say which: agentworks detach NAME. Attached: ${attached.map(({ agentName }) => agentName).join(', ')}`,
    );
  using answers = new Answers(io);
  const chosen = await askWhich(face, answers, attached, 'detach');
  if (chosen.length === 0) {
    face.say('Nothing was detached.');
    return INTERRUPTED;
  }
  for (const { sessionKey } of chosen) said(context, await bridge.local.detach({ sessionKey }));
}

function said({ face }: Context, answer: DetachResponse): void {
  face.result(DetachResponseSchema, answer, () => ({ columns: [{ title: 'NAME' }], rows: [[answer.agentName]] }));
  if (answer.waitsForServer)
    face.say('The server is away: nothing is delivered here any more, and it hears of that when it is back.');
  face.say('Detached. The name keeps its messages; attach it again with: agentworks attach NAME');
}
