import { GetStatusResponseSchema } from '#gen/agentworks/bridge/v1/local_pb.ts';
import { openBridge } from '../../../bridge/socket/ask.ts';
import { startBridge } from '../../../bridge/socket/start.ts';
import { whereIs } from '../../../bridge/socket/where.ts';
import { command } from '../../command.ts';
import { statusTable } from './status-table.ts';

export const start = command({
  description:
    'Takes up the sessions that were attached before, and attaches no other. Hooks and agentworks attach start it too.',
  options: {},
  examples: ['agentworks bridge start', 'agentworks bridge start --config ~/.config/agentworks/shop.json'],
  async run({ io, face, globals }) {
    const where = whereIs(io.env, globals.config);
    const { isNew } = await startBridge(where, io.env);
    const bridge = await openBridge(where);
    try {
      const answer = await bridge.local.getStatus({});
      face.result(GetStatusResponseSchema, answer, () => statusTable(answer.status));
      face.say(isNew ? 'The bridge is started.' : 'The bridge ran already.');
    } finally {
      bridge.close();
    }
  },
});
