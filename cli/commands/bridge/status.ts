import { GetStatusResponseSchema } from '#gen/agentworks/bridge/v1/local_pb.ts';
import manifest from '../../../package.json' with { type: 'json' };
import { openBridge } from '../../../bridge/socket/ask.ts';
import { whereIs } from '../../../bridge/socket/where.ts';
import { command } from '../../command.ts';
import { statusTable } from './status-table.ts';
import { versionTrouble } from './versions.ts';

export const status = command({
  description: 'Exits with 21 when no bridge runs for this config.',
  options: {},
  examples: ['agentworks bridge status', 'agentworks bridge status --json'],
  async run({ io, face, globals }) {
    const bridge = await openBridge(whereIs(io.env, globals.config));
    try {
      const answer = await bridge.local.getStatus({});
      face.result(GetStatusResponseSchema, answer, () => statusTable(answer.status));
      const server = answer.status?.serverVersion ?? '';
      const trouble = versionTrouble({ ours: manifest.version, bridge: bridge.version, server });
      if (trouble !== '') face.say(trouble);
    } finally {
      bridge.close();
    }
  },
});
