import { AttachOrigin } from '#gen/agentworks/agents/v1/attachments_pb.ts';
import { type AttachResponse, AttachResponseSchema, type Session } from '#gen/agentworks/bridge/v1/local_pb.ts';
import { Refusal } from '../../bridge/client/index.ts';
import { Answers, canAsk } from '../answers.ts';
import { choose } from '../attach/choose.ts';
import { type Asking, hostAbove } from '../attach/host-above.ts';
import { narrow } from '../attach/narrow.ts';
import { openOrStart } from '../attach/open-bridge.ts';
import { offerPlugins } from '../attach/plugin.ts';
import { hostName, WAKE } from '../attach/session-words.ts';
import { command, type Context, Usage } from '../command.ts';
import { INTERRUPTED } from '../exit-codes.ts';
import { number, text } from '../options.ts';

export const attach = command({
  description:
    'In a terminal of yours it lists the live chats, to choose from; one alone is taken at once. Without NAME a chat gets a\nshort one that stays its own. Run by an agent in its chat, it attaches that very chat and no other.',
  options: {
    session: text('KEY', "The chat, by its key or by its host's own session id"),
    nativePid: number('PID', 'The chat of this process'),
    purpose: text('TEXT', 'What it is for, at most 512 characters'),
  },
  operand: { name: 'NAME', summary: 'The name it is written to by', optional: true },
  examples: ['agentworks attach', 'agentworks attach reviewer --session 5d1c9a9e-6a51-4b6f-9c39-0c0e7d0c2b11'],
  async run(context, { session, nativePid, purpose }, agentName = '') {
    const asker = hostAbove(context.io);
    const wanted = { agentName, ...(purpose === undefined ? {} : { purpose }) };
    if (asker === undefined) return attachChosen(context, { session, nativePid }, wanted);
    if (session !== undefined || nativePid !== undefined)
      throw new Refusal(
        'NOT_ALLOWED',
        `An agent attaches its own chat only, and this runs in one: leave out --session and --native-pid.`,
        { subject: 'session' },
      );
    return attachOwn(context, asker, wanted);
  },
});

interface Wanted {
  readonly agentName: string;
  readonly purpose?: string;
}

async function attachOwn(context: Context, asker: Asking, wanted: Wanted): Promise<void> {
  const bridge = await openOrStart(context);
  try {
    const answer = await bridge.local.attach({ ...wanted, origin: AttachOrigin.OWN, asker });
    said(context, answer);
    for (const notice of answer.notices) context.face.say(notice);
  } finally {
    bridge.close();
  }
}

async function attachChosen(
  context: Context,
  named: { readonly session: string | undefined; readonly nativePid: number | undefined },
  wanted: Wanted,
): Promise<number | void> {
  const { io, face } = context;
  const bridge = await openOrStart(context);
  using answers = canAsk(io) ? new Answers(io) : undefined;
  try {
    const live = narrow((await bridge.local.listSessions({})).sessions, named);
    face.say(WAKE);
    const chosen = await choose(context, live, answers);
    if (chosen.length === 0) {
      face.say('Nothing was attached.');
      return INTERRUPTED;
    }
    if (chosen.length > 1 && wanted.agentName !== '')
      throw new Usage('A name is for one chat; leave it out to attach several.');
    await offerPlugins(context, chosen, answers);
    const notices = new Set<string>();
    for (const { sessionKey } of chosen) {
      const answer = await bridge.local.attach({ ...wanted, origin: AttachOrigin.TERMINAL, sessionKey });
      said(context, answer);
      for (const notice of answer.notices) notices.add(notice);
    }
    for (const notice of notices) face.say(notice);
    face.say('Write to one with: agentworks messages send --target agent:NAME --message TEXT');
  } finally {
    bridge.close();
  }
}

const said = ({ face }: Context, answer: AttachResponse): void =>
  face.result(AttachResponseSchema, answer, () => attachedTable(answer.session));

const attachedTable = (session: Session | undefined) => ({
  columns: [{ title: 'NAME' }, { title: 'CHAT' }, { title: 'ROUTE' }, { title: 'FOLDER', gives: true }],
  rows:
    session === undefined
      ? []
      : [[session.agentName, hostName(session.provider), session.route, session.folder] as const],
});
