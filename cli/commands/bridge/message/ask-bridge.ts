import { openBridge, type Bridge } from '../../../../bridge/socket/ask.ts';
import { whereIs } from '../../../../bridge/socket/where.ts';
import { type Asking, asking } from '../../../attach/host-above.ts';
import type { Context } from '../../../command.ts';
import { required } from '../../../options.ts';

export const providerOption = { provider: required('HOST', 'The host whose chat asks: claude') } as const;

/** Asks as the chat that this process runs in, and as no other: it needs no sign-in, and uses none. */
export async function askBridge<T>(
  { io, globals }: Context,
  provider: string,
  ask: (local: Bridge['local'], asker: Asking) => Promise<T>,
): Promise<T> {
  const bridge = await openBridge(whereIs(io.env, globals.config));
  try {
    return await ask(bridge.local, asking(io, provider));
  } finally {
    bridge.close();
  }
}
