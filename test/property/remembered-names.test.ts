import { expect, test } from 'vitest';
import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import { refuses } from '../doors/door.ts';
import { rpc } from '../doors/rpc.ts';
import { inWorld } from '../world/world.ts';

const one = { target: 'agent:bob', body: 'one', submissionId: 's1' };

test('AGT-2d a server that remembers a name finds whoever has it now, as recipient and as sender', () =>
  inWorld(async (world) => {
    const second = await world.secondNode();
    const [alice, bob] = [await world.agent('alice'), await world.agent('bob')];
    const remembering = rpc.as(world.at(second, alice));
    const first = await remembering.messages.send(one);

    await rpc.as(bob).agents.unregister({ agentName: 'bob' });
    await refuses(Reason.NOT_FOUND, remembering.messages.send({ ...one, submissionId: 's2' }));
    const again = await world.agent('bob');
    await remembering.messages.send({ ...one, body: 'to the new one', submissionId: 's3' });
    expect((await rpc.as(again).messages.read({})).messages.map(({ body }) => body)).toEqual(['to the new one']);

    // The same name over here is another bob by now, without a refusal in between.
    await rpc.as(again).agents.unregister({ agentName: 'bob' });
    const third = await world.agent('bob');
    await remembering.messages.send({ ...one, body: 'to the third', submissionId: 's4' });
    expect((await rpc.as(third).messages.read({})).messages.map(({ body }) => body)).toEqual(['to the third']);

    // And another alice, whose submission ids are her own.
    await rpc.as(alice).agents.unregister({ agentName: 'alice' });
    await rpc.as(alice).agents.register({ agentName: 'alice' });
    const anew = await remembering.messages.send(one);
    expect(anew.messageId).not.toBe(first.messageId);
    expect((await rpc.as(third).messages.read({})).messages).toHaveLength(2);
  }));
