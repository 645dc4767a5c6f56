import { type Bridge, openBridge } from '../../bridge/socket/ask.ts';
import { startBridge } from '../../bridge/socket/start.ts';
import { whereIs } from '../../bridge/socket/where.ts';
import type { Context } from '../command.ts';

/** The bridge of this config, started when none runs. */
export async function openOrStart({ io, globals }: Context): Promise<Bridge> {
  const where = whereIs(io.env, globals.config);
  await startBridge(where, io.env);
  return openBridge(where);
}
