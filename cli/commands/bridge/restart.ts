import { GetStatusResponseSchema } from '#gen/agentworks/bridge/v1/local_pb.ts';
import { openBridge } from '../../../bridge/socket/ask.ts';
import { startBridge } from '../../../bridge/socket/start.ts';
import { whereIs } from '../../../bridge/socket/where.ts';
import { command } from '../../command.ts';
import { statusTable } from './status-table.ts';
import { stopBridge } from './stop.ts';

export const restart = command({
  description: 'Attached sessions are taken up again.',
  options: {},
  examples: ['agentworks bridge restart'],
  async run({ io, face, globals }) {
    const where = whereIs(io.env, globals.config);
    await stopBridge(where);
    await startBridge(where, io.env);
    const bridge = await openBridge(where);
    try {
      const answer = await bridge.local.getStatus({});
      face.result(GetStatusResponseSchema, answer, () => statusTable(answer.status));
      face.say('The bridge is started.');
    } finally {
      bridge.close();
    }
  },
});
