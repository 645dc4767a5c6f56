import manifest from '../../package.json' with { type: 'json' };
import { openBridge } from '../../bridge/socket/ask.ts';
import { findBridge } from '../../bridge/socket/find.ts';
import { type Where, whereIs } from '../../bridge/socket/where.ts';
import { versionTrouble } from '../commands/bridge/versions.ts';
import type { Io } from '../context.ts';
import { type Check, failed, ok, warn } from './check.ts';

/** The folder and socket of the bridge, and how it stands. None running is no fault: attaching a chat starts it. */
export async function checkBridge(io: Io, named: string | undefined): Promise<Check> {
  try {
    const where = whereIs(io.env, named);
    const running = await findBridge(where);
    if (running === undefined)
      return ok('bridge', 'not running; agentworks bridge start, or attaching a chat, starts it');
    return await checkRunning(where);
  } catch (error) {
    return failed('bridge', error);
  }
}

async function checkRunning(where: Where): Promise<Check> {
  const bridge = await openBridge(where);
  try {
    const { status } = await bridge.local.getStatus({});
    const found = `pid ${bridge.pid}, ${status?.sessions.length ?? 0} attached`;
    const server = status?.serverVersion ?? '';
    const trouble = versionTrouble({ ours: manifest.version, bridge: bridge.version, server });
    if (trouble !== '') return warn('bridge', found, trouble);
    if (status?.connected === true) return ok('bridge', `${found}, linked to the server`);
    const why = status?.problem === '' || status === undefined ? 'no link to the server' : status.problem;
    return warn('bridge', `${found}; ${why}`, 'It goes on trying. See: agentworks bridge logs');
  } finally {
    bridge.close();
  }
}
