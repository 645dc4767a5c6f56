import { expect } from 'vitest';
import { main } from '../../cli/main.ts';
import { refuses, Refused, type Hands, type Refusal } from '../doors/door.ts';
import { doors } from '../doors/doors.ts';
import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import { proves } from './proves.ts';

const mistakes: Record<string, (hands: Hands) => Promise<unknown>> = {
  'no such name': (hands) => hands.messages.send({ target: 'agent:bobb', body: 'x' }),
  'to oneself': (hands) => hands.messages.send({ target: 'agent:alice', body: 'x' }),
  'another’s name': (hands) => hands.messages.send({ agentName: 'bob', target: 'agent:alice', body: 'x' }),
  'no form of target': (hands) => hands.messages.send({ target: 'bob', body: 'x' }),
  'too long': (hands) => hands.messages.send({ target: 'agent:bob', body: 'x'.repeat(262_145) }),
  'no type': (hands) => hands.messages.send({ target: 'agent:bob', body: 'x', contentType: 'text/html' }),
  'no cursor': (hands) => hands.messages.read({ after: 'rubbish' }),
  'too many': (hands) => hands.messages.read({ pageSize: 101 }),
  'too few': (hands) => hands.messages.read({ pageSize: -1 }),
  'no inbox': (hands) => hands.messages.read({ inboxId: 'inb_madeup' }),
  'no message': (hands) => hands.messages.getReceipts({ messageId: 'msg_madeup' }),
  'no agent name': (hands) => hands.agents.register({ agentName: 'a b' }),
  'no agent': (hands) => hands.agents.get({ agentName: 'nobody' }),
  'no right': (hands) => hands.access.listConnections({}),
};

proves(
  'CON-1b, CON-1d',
  'the same mistake is refused alike, whichever door it came through',
  async ({ world, door }) => {
    const alice = await world.agent('alice');
    await world.agent('bob');
    for (const [mistake, make] of Object.entries(mistakes)) {
      const [here, there] = await Promise.all([refusalOf(make(door.as(alice))), refusalOf(make(doors.rpc.as(alice)))]);
      expect({ mistake, ...here }).toEqual({ mistake, ...there });
    }
  },
);

async function refusalOf(attempt: Promise<unknown>): Promise<Refusal> {
  const error = await attempt.then(
    () => new Error('was accepted'),
    (thrown: unknown) => thrown,
  );
  if (error instanceof Refused) return error.refusal;
  throw error as Error;
}

proves(
  'CON-1c',
  'the commands keep the spellings that were published',
  async ({ world, door }) => {
    const alice = await world.agent('alice');
    const device = await world.program('second device');
    const { env, run } = terminal();
    await door.as(alice).agents.list({});
    Object.assign(env, { AGENTWORKS_CONFIG: configOf(alice) });
    await run(`messages register --agent helper --allow-connection ${device.connectionId}`);
    await run('messages list');
    const sent = await run('messages send --agent alice --target agent:helper --submission-id s1 --message hello');
    const read = await run('messages read --agent helper --after 0 --wait 1');
    expect(read).toMatchObject({ messages: [{ body: 'hello', messageId: sent['messageId'] }] });
    await run(`messages send --inbox ${String(sent['inboxId'])} --message more`);
    await run('messages unregister --agent helper');

    function configOf({ connectionId, folder, server }: typeof alice): string {
      return `${folder}/config/${connectionId}-${new URL(server).port}.json`;
    }
  },
  { doors: ['cli'], because: 'it is about the command line' },
);

/** Runs command lines as typed, with `--json`. */
function terminal() {
  const env: Record<string, string> = {};
  const run = async (line: string): Promise<Record<string, unknown>> => {
    let out = '';
    let err = '';
    const io = { env, out: (text: string) => void (out += text), err: (text: string) => void (err += text) };
    const code = await main([...line.split(' '), '--json'], { ...io, signal: new AbortController().signal });
    expect({ line, code, err }).toEqual({ line, code: 0, err: '' });
    return JSON.parse(out) as Record<string, unknown>;
  };
  return { env, run };
}

proves(
  'ACC-1c',
  'without sign-in nothing answers but health and sign-in',
  async ({ world, door }) => {
    const nobody = { ...(await world.program('nobody')), secret: undefined };
    const hands = door.as(nobody);
    await refuses(Reason.SIGNED_OUT, hands.messages.read({ agentName: 'alice' }));
    await refuses(Reason.SIGNED_OUT, hands.agents.list({}));
    await refuses(Reason.SIGNED_OUT, hands.access.whoAmI({}));
  },
  { doors: ['rpc', 'http'], because: 'the command line refuses by itself to call without a sign-in' },
);
