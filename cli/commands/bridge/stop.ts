import { setTimeout as later } from 'node:timers/promises';
import { StopResponseSchema } from '#gen/agentworks/bridge/v1/local_pb.ts';
import { create } from '@bufbuild/protobuf';
import { Refusal } from '../../../bridge/client/index.ts';
import { openBridge } from '../../../bridge/socket/ask.ts';
import { findBridge } from '../../../bridge/socket/find.ts';
import { type Where, whereIs } from '../../../bridge/socket/where.ts';
import { command } from '../../command.ts';

export const stop = command({
  description: 'What is sent to attached sessions waits until it runs again.',
  options: {},
  examples: ['agentworks bridge stop'],
  async run({ io, face, globals }) {
    const where = whereIs(io.env, globals.config);
    const isStopped = await stopBridge(where);
    face.result(StopResponseSchema, create(StopResponseSchema), () => ({ columns: [], rows: [] }));
    face.say(isStopped ? 'The bridge is stopped. Start it with: agentworks bridge start' : 'No bridge was running.');
  },
});

const STOP_MS = 10_000;

/** Answers once its process is gone; false when there was none. */
export async function stopBridge(where: Where): Promise<boolean> {
  const running = await findBridge(where);
  if (running === undefined) return false;
  const bridge = await openBridge(where);
  try {
    await bridge.local.stop({});
  } finally {
    bridge.close();
  }
  for (const until = Date.now() + STOP_MS; Date.now() < until; await later(25)) if (!isThere(running.pid)) return true;
  const sentence = `The bridge (process ${running.pid}) does not end. See: agentworks bridge logs`;
  throw new Refusal('DEADLINE_EXCEEDED', sentence, { subject: String(running.pid) });
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
