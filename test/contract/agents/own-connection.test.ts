import { expect } from 'vitest';
import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import { refuses } from '../../doors/door.ts';
import { rpc } from '../../doors/rpc.ts';
import { proves } from '../proves.ts';

proves(
  'AGT-8a',
  'a caller’s own public id allows another to use a name, and opens nothing',
  async ({ world, door }) => {
    const alice = await world.agent('alice');
    const device = await world.program('second device');
    const { connectionId } = await door.as(device).access.whoAmI({});
    expect(connectionId).toBe(device.connectionId);
    const read = () => door.as(device).messages.read({ agentName: 'alice' });
    await refuses(Reason.NOT_ALLOWED, read());
    await rpc.as(alice).agents.register({ agentName: 'alice', allowedConnectionIds: { values: [connectionId] } });
    expect((await read()).messages).toEqual([]);
    const thief = { ...device, secret: connectionId, connectionId: `${connectionId}-as-a-secret` };
    await refuses(Reason.SIGNED_OUT, door.as(thief).messages.read({ agentName: 'alice' }));
  },
);
