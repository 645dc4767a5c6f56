import { expect, test } from 'vitest';
import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import { type Hands, type Refused, refuses } from '../../doors/door.ts';
import { rpc } from '../../doors/rpc.ts';
import { inWorld } from '../../world/world.ts';

test('MSG-3g two hundred equal submissions over two servers store one message and give one answer', () =>
  inWorld(async (world) => {
    const alice = await world.agent('alice');
    const bob = rpc.as(await world.agent('bob'));
    const doors = [rpc.as(alice), rpc.as(world.at(await world.secondNode(), alice))];
    const sends = Array.from({ length: 200 }, (_, n) =>
      doors[n % 2]!.messages.send({ target: 'agent:bob', body: 'one', submissionId: 's1' }),
    );
    const answers = (await Promise.all(sends)).map(({ messageId, inboxId }) => `${messageId} ${inboxId}`);
    expect(new Set(answers).size).toBe(1);
    expect((await bob.messages.read({})).messages).toHaveLength(1);
  }));

test('MSG-3h submissions that clash harm nobody else’s message', () =>
  inWorld(async (world) => {
    const alice = await world.agent('alice');
    const carol = await world.agent('carol');
    const bob = rpc.as(await world.agent('bob'));
    const second = await world.secondNode();
    const clashing = [rpc.as(alice), rpc.as(world.at(second, alice))];
    const others = [rpc.as(carol), rpc.as(world.at(second, carol))];
    const clashes = Array.from({ length: 60 }, (_, n) =>
      clashing[n % 2]!.messages.send({ target: 'agent:bob', body: `clash ${n % 3}`, submissionId: `s${n % 5}` }),
    );
    const rest = Array.from({ length: 60 }, (_, n) =>
      others[n % 2]!.messages.send({ target: 'agent:bob', body: `carol ${n}`, submissionId: `c${n}` }),
    );
    const outcomes = await Promise.allSettled(clashes);
    const refusals = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as Refused] : []));
    expect(new Set(refusals.map(({ refusal }) => refusal.reason))).toEqual(new Set(['SUBMISSION_CONFLICT']));
    const stored = new Set(
      outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value.messageId] : [])),
    );
    expect(stored.size).toBe(5);
    await Promise.all(rest);
    const { messages } = await bob.messages.read({});
    const { messages: more } = await bob.messages.read({ after: (await bob.messages.read({})).nextCursor });
    const bodies = [...messages, ...more].map(({ body }) => body);
    expect(bodies.filter((body) => body.startsWith('carol')).toSorted()).toEqual(
      Array.from({ length: 60 }, (_, n) => `carol ${n}`).toSorted(),
    );
    expect(bodies.filter((body) => body.startsWith('clash'))).toHaveLength(5);
  }));

test(
  'MSG-5g a reader misses and repeats nothing while writers of two servers send and broadcast',
  () =>
    inWorld(async (world) => {
      const [writers, each] = [32, 10];
      const second = await world.secondNode();
      const bob = rpc.as(world.at(second, await world.agent('bob')));
      const agents = [];
      for (let n = 0; n < writers; n++) agents.push(await world.agent(`writer-${n}`));
      const write = async (hands: Hands, name: string) => {
        for (let n = 0; n < each; n++)
          await hands.messages.send({ target: n % 5 === 0 ? 'agent:*' : 'agent:bob', body: `${name} ${n}` });
      };
      const writing = agents.map((agent, n) =>
        write(rpc.as(n % 2 === 0 ? agent : world.at(second, agent)), agent.agentName),
      );
      const seen: string[] = [];
      for (let after = '0'; seen.length < writers * each;) {
        const page = await bob.messages.read({ after, pageSize: 11, waitSeconds: 5 });
        seen.push(...page.messages.map(({ body }) => body));
        after = page.nextCursor;
      }
      await Promise.all(writing);
      expect(seen).toHaveLength(writers * each);
      expect(new Set(seen).size).toBe(writers * each);
    }),
  60_000,
);

test('MSG-13e a watch on one server pushes what is sent through another', () =>
  inWorld(async (world) => {
    const alice = rpc.as(await world.agent('alice'));
    const bob = world.at(await world.secondNode(), await world.agent('bob'));
    await using watch = rpc.as(bob).messages.watchMailbox({});
    await watch.next();
    await alice.messages.send({ target: 'agent:bob', body: 'across' });
    expect(await watch.some(1, (page) => page.messages)).toMatchObject([{ body: 'across' }]);
  }));

test('ACC-2d, RCP-5a a revocation on one server ends a watch on another before it is answered', () =>
  inWorld(async (world) => {
    const person = rpc.as(await world.person());
    const alice = rpc.as(await world.agent('alice'));
    const bob = await world.agent('bob');
    await using watch = rpc.as(world.at(await world.secondNode(), bob)).messages.watchMailbox({});
    await watch.next();
    await person.access.revokeConnection({ connectionId: bob.connectionId });
    await alice.messages.send({ target: 'agent:bob', body: 'too late' });
    const { refusal, last } = await watch.ended();
    expect(refusal.reason).toBe('SIGNED_OUT');
    expect(last).toEqual([]);
    await refuses(Reason.SIGNED_OUT, rpc.as(bob).messages.read({}));
  }));
