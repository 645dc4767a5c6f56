import { expect, test } from 'vitest';
import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import { rpc } from '../../doors/rpc.ts';
import { LinkedBridge } from '../../world/bridge.ts';
import { inWorld } from '../../world/world.ts';

test('CON-6 a bad entry of a frame is refused by its own answer, and the link goes on', () =>
  inWorld(async (world) => {
    const person = await world.person();
    const alice = rpc.as(await world.agent('alice'));
    await using bridge = await LinkedBridge.open(person);
    const bodies = ['x'.repeat(262_145), 'a\0b', 'fine'];
    const submissions = bodies.map((body, n) => ({ tag: BigInt(n), request: { target: 'agent:alice', body } }));
    bridge.send({ case: 'submissions', value: { submissions } });
    const outcomes = new Map<bigint, unknown>();
    while (outcomes.size < 3)
      for (const { tag, outcome } of (await bridge.until('results')).results) outcomes.set(tag, outcome);
    expect(outcomes.get(0n)).toMatchObject({
      case: 'problem',
      value: { reason: Reason.LIMIT_EXCEEDED, subject: 'body', bound: 262_144n },
    });
    expect(outcomes.get(1n)).toMatchObject({ case: 'problem', value: { reason: Reason.BAD_FIELD, subject: 'body' } });
    expect(outcomes.get(2n)).toMatchObject({ case: 'sent' });

    bridge.send({ case: 'bind', value: { leases: [{ attachmentId: '', childSecret: 'x' }] } });
    const [bound] = (await bridge.until('bound')).leases;
    expect(bound?.problem).toMatchObject({ reason: Reason.BAD_FIELD, subject: 'attachment_id' });
    expect((await alice.messages.read({})).messages.map(({ body }) => body)).toEqual(['fine']);
  }));
