import assert from 'node:assert/strict';
import { setTimeout as later } from 'node:timers/promises';
import type { Program } from './program.ts';

interface Status {
  readonly status: { readonly version: string; readonly connected: boolean; readonly serverVersion: string };
}

/** The bridge as its own process, out of the package: it starts, reaches the server, and ends. */
export async function useBridge(program: Program): Promise<void> {
  await program.run('bridge', 'start');
  const ask = async () => (JSON.parse(await program.run('bridge', 'status', '--json')) as Status).status;
  let status = await ask();
  for (let tries = 0; !status.connected && tries < 50; tries += 1) {
    await later(200);
    status = await ask();
  }
  assert(status.connected, 'the bridge does not reach the server');
  assert.equal(status.serverVersion, status.version);
  await program.run('bridge', 'stop');
  await assert.rejects(program.run('bridge', 'status'), { code: 21 });
}
