import { setTimeout as later } from 'node:timers/promises';
import { requireSignIn } from '../../../bridge/account/credentials.ts';
import { findBridge } from '../../../bridge/socket/find.ts';
import { whereIs } from '../../../bridge/socket/where.ts';
import { enable as enableService } from '../../autostart/autostart.ts';
import { command } from '../../command.ts';
import { stopBridge } from './stop.ts';

const START_MS = 10_000;

export const enable = command({
  description: 'Uses systemd on Linux and launchd on macOS, for you alone. Undo it with: agentworks bridge disable',
  options: {},
  examples: ['agentworks bridge enable'],
  async run({ io, face, globals }) {
    const where = whereIs(io.env, globals.config);
    requireSignIn(io.env, globals.config);
    await stopBridge(where);
    const file = await enableService(where, io.env);
    face.document({ file }, () => ({ columns: [{ title: 'FILE' }], rows: [[file]] }));
    for (const until = Date.now() + START_MS; Date.now() < until; await later(50))
      if ((await findBridge(where)) !== undefined) return face.say('The bridge runs, and starts at every sign-in.');
    face.say('It is enabled, and does not answer yet. See: agentworks bridge logs');
  },
});
