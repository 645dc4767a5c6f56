import fc from 'fast-check';
import { expect, test } from 'vitest';
import { figures } from '../auditor/figures.ts';
import { walk } from '../auditor/walk.ts';
import { rpc } from '../doors/rpc.ts';
import { inWorld, type World } from '../world/world.ts';
import { Acknowledge, Attach, Claim } from './model/hold.ts';
import { Model, type Real, speaking } from './model/model.ts';
import { Register, Revoke, SignIn, Unregister } from './model/rights.ts';
import { AskReceipt, Read, Reply, Send } from './model/talk.ts';

const RUNS = Number(process.env['MODEL_RUNS'] ?? 30);
const NAMES = ['ada', 'ben', 'cyd'];

const name = fc.constantFrom(...NAMES);
const node = fc.nat(1);
const pick = fc.nat(9);
const body = fc.constantFrom('x', 'y');
const key = fc.constantFrom('', 's1', 's2', 's3', 's4');
const to = fc.constantFrom(...NAMES, '*');

const after = fc.constantFrom('start', 'last', 'last', 'foreign');
const pageSize = fc.integer({ min: 1, max: 5 });
const send = fc.tuple(name, to, key, body, node).map((said) => new Send(...said));
const claim = fc.tuple(name, pick, fc.boolean(), node).map((asked) => new Claim(...asked));
const acknowledge = fc.tuple(name, pick, fc.boolean(), node, fc.boolean()).map((asked) => new Acknowledge(...asked));
const attach = fc.tuple(name, fc.constantFrom('one', 'two'), node).map((asked) => new Attach(...asked));
const read = fc.tuple(name, pageSize, after, node).map((asked) => new Read(...asked));
const which = fc.tuple(name, node);

/** What happens often is listed often; a right that ended comes back sooner than the next one ends. */
const commands = fc.commands(
  [
    ...Array.from({ length: 7 }, () => send),
    ...[read, claim, acknowledge, attach].flatMap((often) => [often, often]),
    fc.tuple(name, body, node).map((said) => new Reply(...said)),
    fc.tuple(name, pick, node).map((asked) => new AskReceipt(...asked)),
    which.map((about) => new Revoke(...about)),
    ...[1, 2, 3].map(() => which.map((about) => new SignIn(...about))),
    which.map((about) => new Unregister(...about)),
    ...[1, 2, 3].map(() => which.map((about) => new Register(...about))),
  ],
  { size: 'large', maxCommands: 80 },
);

/** An account of three registered agents, on two servers. */
async function begin(world: World, second: { url: string }, run: number): Promise<{ model: Model; real: Real }> {
  const account = await world.account(`run-${run}`);
  const model = new Model();
  const programs = new Map();
  for (const each of NAMES) {
    programs.set(each, await account.agent(each));
    model.agents.set(each, {
      name: each,
      isRegistered: true,
      life: 1,
      isSignedIn: true,
      mailbox: [],
      lease: undefined,
    });
  }
  const server = (at: number) => (at === 0 ? world.url : second.url);
  const person = await account.person();
  const known = new Map<string, ReturnType<typeof rpc.as>>();
  const at: Real['at'] = (who, where) => {
    const place = `${where} ${who.connectionId} ${who.agentName ?? ''}`;
    const hands = known.get(place) ?? rpc.as({ ...who, server: server(where) });
    known.set(place, hands);
    return hands;
  };
  return { model, real: { account, person, programs, cursors: new Map(), stale: [], server, at } };
}

test(
  'MSG-3, MSG-5, RCP-3, RCP-5, AGT-2, ACC-2 two servers do what a model of them does, whatever comes in which order',
  () =>
    inWorld(async (world) => {
      const second = await world.secondNode();
      const count = { runs: 0, commands: 0, stored: 0, read: 0, acknowledged: 0 };
      await fc.assert(
        fc.asyncProperty(commands, async (list) => {
          const { model, real } = await begin(world, second, ++count.runs);
          await fc.asyncModelRun(() => ({ model, real }), list);
          for (const agent of model.agents.values()) {
            if (!agent.isRegistered || !agent.isSignedIn) continue;
            const messages = await walk(speaking(real, agent, 0).messages.read, {}, () => 7);
            expect(messages.map(({ messageId }) => messageId)).toEqual(agent.mailbox.map(({ messageId }) => messageId));
            count.read += messages.length;
            count.acknowledged += agent.mailbox.filter(({ state }) => state > 1).length;
          }
          count.commands += [...list].length;
          count.stored += model.stored;
        }),
        { numRuns: RUNS, endOnFailure: false, ...seeded() },
      );
      figures('model', { servers: 2, ...count });
    }),
  120_000,
);

/** The same runs again, when a failure is looked at. */
const seeded = () => (process.env['FC_SEED'] === undefined ? {} : { seed: Number(process.env['FC_SEED']) });
