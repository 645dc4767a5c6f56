import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import { refuses } from '../../doors/door.ts';
import { rpc } from '../../doors/rpc.ts';
import { proves } from '../proves.ts';

proves(
  'AGT-3b',
  'who may not speak by a name hears nothing of what it sent, whatever id is tried',
  async ({ world, door }) => {
    const alice = await world.agent('alice');
    const bob = await world.agent('bob');
    const eve = { ...(await world.program('eve')), agentName: 'alice' };
    const one = { target: 'agent:bob', body: 'one', submissionId: 's1' };
    await door.as(alice).messages.send(one);
    await rpc.as(bob).agents.unregister({ agentName: 'bob' });
    await refuses(Reason.NOT_FOUND, door.as(eve).messages.send(one));
    await refuses(Reason.NOT_FOUND, door.as(eve).messages.send({ ...one, body: 'another guess' }));
  },
);
