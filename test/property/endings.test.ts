import { setTimeout as later } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import { Acknowledgement } from '#gen/agentworks/agents/v1/attachments_pb.ts';
import { EndReason } from '#gen/agentworks/bridge/v1/bridge_pb.ts';
import { chance } from '../auditor/chance.ts';
import { figures } from '../auditor/figures.ts';
import { Ledger } from '../auditor/ledger.ts';
import { Receiver } from '../auditor/receiver.ts';
import { walk } from '../auditor/walk.ts';
import { type Hands, Refused, refuses } from '../doors/door.ts';
import { rpc } from '../doors/rpc.ts';
import { attached } from '../world/attached.ts';
import type { Agent, Person } from '../world/people.ts';
import { inWorld, type Node, type World } from '../world/world.ts';

const ROUNDS = Number(process.env['ENDING_ROUNDS'] ?? 4);

/** Sends without end, several at a time; each body says when its sending began. */
class Flow {
  sent = 0;
  #stopped = false;
  readonly #done: Promise<unknown>;

  constructor(hands: readonly Hands[], target: string, lanes = 3) {
    this.#done = Promise.all(hands.flatMap((each) => Array.from({ length: lanes }, () => this.#run(each, target))));
  }

  async #run(hands: Hands, target: string): Promise<void> {
    while (!this.#stopped)
      try {
        await hands.messages.send({ target, body: String(performance.now()) });
        this.sent++;
      } catch (error) {
        // Its right has ended: nothing more will come of it.
        if (error instanceof Refused && ['SIGNED_OUT', 'LEASE_ENDED'].includes(error.refusal.reason)) return;
        throw error;
      }
  }

  async stop(): Promise<number> {
    this.#stopped = true;
    await this.#done;
    return this.sent;
  }
}

interface Scene {
  readonly world: World;
  readonly second: Node;
  readonly person: Person;
  readonly alice: Agent;
  readonly random: () => number;
}

/** One scene a round, each at another moment of the flow. */
const eachRound = (play: (scene: Scene & { readonly bob: Agent }) => Promise<void>) =>
  inWorld(async (world) => {
    const second = await world.secondNode();
    const [person, alice] = [await world.person(), await world.agent('alice')];
    for (let round = 1; round <= ROUNDS; round++) {
      const bob = await world.agent(`bob-${round}`);
      await play({ world, second, person, alice, bob, random: chance(round) });
    }
  });

/** Bodies that were sent after a moment: what was on its way before it may still arrive. */
const sentAfter = (bodies: readonly string[], moment: number) => bodies.filter((body) => Number(body) > moment);

/** Reads on until it is refused. */
async function readOn(hands: Hands, take: (bodies: readonly string[]) => void): Promise<never> {
  for (let after = '0'; ;) {
    const page = await hands.messages.read({ after, waitSeconds: 5 });
    take(page.messages.map(({ body }) => body));
    after = page.nextCursor;
  }
}

test('ACC-2d after a revocation is answered, a reader gets nothing on either server', async () => {
  const count = { revocations: 0, sent: 0, received: 0, after: 0 };
  await eachRound(async ({ world, second, person, alice, bob, random }) => {
    const both = [bob, world.at(second, bob)];
    const got: string[] = [];
    const watches = both.map(async (reader) => {
      await using watch = rpc.as(reader).messages.watchMailbox({});
      const { refusal, last } = await watch.ended();
      expect(refusal.reason).toBe('SIGNED_OUT');
      got.push(...last.flatMap(({ messages }) => messages.map(({ body }) => body)));
    });
    const reads = both.map((reader) =>
      refuses(
        Reason.SIGNED_OUT,
        readOn(rpc.as({ ...reader }), (page) => got.push(...page)),
      ),
    );
    const flow = new Flow([rpc.as(alice), rpc.as(world.at(second, alice))], `agent:${bob.agentName}`);
    await later(50 + 200 * random());
    const owner = random() < 0.5 ? person : world.at(second, person);
    await rpc.as(owner).access.revokeConnection({ connectionId: bob.connectionId });
    const answered = performance.now();
    await later(50);
    count.sent += await flow.stop();
    await Promise.all([...watches, ...reads]);
    for (const reader of both)
      await refuses(Reason.SIGNED_OUT, rpc.as(reader).messages.read({ agentName: bob.agentName }));
    count.revocations++;
    count.received += got.length;
    count.after += sentAfter(got, answered).length;
  });
  figures('reader revoked', count);
  expect(count.received).toBeGreaterThan(0);
  expect(count.after).toBe(0);
}, 60_000);

test('ACC-2d after a revocation is answered, nothing more of a sender is stored through either server', async () => {
  const count = { revocations: 0, stored: 0, after: 0 };
  await eachRound(async ({ world, second, person, alice, bob, random }) => {
    const flow = new Flow([rpc.as(bob), rpc.as(world.at(second, bob))], 'agent:alice', 8);
    await later(50 + 200 * random());
    const owner = random() < 0.5 ? person : world.at(second, person);
    await rpc.as(owner).access.revokeConnection({ connectionId: bob.connectionId });
    const of = { fromAgent: bob.agentName };
    const atAnswer = await walk(rpc.as(alice).messages.read, of);
    await flow.stop();
    const atEnd = await walk(rpc.as(alice).messages.read, of);
    count.revocations++;
    count.stored += atEnd.length;
    count.after += atEnd.length - atAnswer.length;
  });
  figures('sender revoked', count);
  expect(count.stored).toBeGreaterThan(0);
  expect(count.after).toBe(0);
}, 60_000);

test('RCP-3b, RCP-5a after a lease has moved, the older session gets, releases and says nothing on either server', async () => {
  const count = { moves: 0, delivered: 0, after: 0, granted: 0 };
  await eachRound(async ({ world, second, person, alice, bob, random }) => {
    const [ledger, older] = [new Ledger(), await attached(person, bob.agentName, 'older')];
    const [here, there] = random() < 0.5 ? [person, world.at(second, person)] : [world.at(second, person), person];
    const receiver = new Receiver(here, older, ledger);
    const flow = new Flow([rpc.as(alice), rpc.as(world.at(second, alice))], `agent:${bob.agentName}`);
    await later(80 + 200 * random());
    await attached(there, bob.agentName, 'newer');
    const answered = performance.now();
    const child = { ...older.child, agentName: bob.agentName };
    const last = receiver.delivered.at(-1);
    for (const server of [world.url, second.url]) {
      const hands = rpc.as({ ...child, server });
      const { attachmentId } = older;
      const messageIds = [last?.messageId ?? 'msg_none'];
      await refuses(Reason.SIGNED_OUT, hands.attachments.claimOffer({ attachmentId, messageIds, route: 'test' }));
      const acknowledgement = Acknowledgement.PROCESSED;
      await refuses(Reason.SIGNED_OUT, hands.attachments.acknowledge({ attachmentId, messageIds, acknowledgement }));
    }
    await later(50);
    await flow.stop();
    await receiver.stop();
    count.moves++;
    count.delivered += receiver.delivered.length;
    count.granted += ledger.grants.size;
    count.after += sentAfter(
      receiver.delivered.map(({ body }) => body),
      answered,
    ).length;
    expect([...ledger.grants.values()].filter((times) => times > 1)).toEqual([]);
  });
  figures('lease moved', count);
  expect(count.granted).toBeGreaterThan(0);
  expect(count.after).toBe(0);
}, 60_000);

test('RCP-5c two links that take one lease up at one moment release each message once, and one of them is told', async () => {
  const count = { pairs: 0, sent: 0, granted: 0, told: 0 };
  await eachRound(async ({ world, second, person, alice, bob }) => {
    const [ledger, lease] = [new Ledger(), await attached(person, bob.agentName)];
    const both = [person, world.at(second, person)].map((holder) => new Receiver(holder, lease, ledger));
    const flow = new Flow([rpc.as(alice), rpc.as(world.at(second, alice))], `agent:${bob.agentName}`);
    const ends = () => both.flatMap((receiver) => receiver.ends);
    while (ends().length === 0 || ledger.grants.size < 30) await later(5);
    const sent = await flow.stop();
    while (ledger.grants.size < sent) await later(5);
    for (const receiver of both) await receiver.stop();
    expect(ends()).toEqual([EndReason.TAKEN_UP_ELSEWHERE]);
    expect([...ledger.grants.values()].filter((times) => times > 1)).toEqual([]);
    count.pairs++;
    count.sent += sent;
    count.granted += ledger.grants.size;
    count.told += ends().length;
  });
  figures('lease taken up twice', count);
}, 60_000);
