import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { median } from '../figures.ts';
import { signIn, startServer } from '../systems/agentworks.ts';
import { unary } from '../systems/over-grpc.ts';

const root = join(import.meta.dirname, '../..');
const built = join(root, 'dist/cli.js');
const cli = existsSync(built) ? built : join(root, 'cli/entry.ts');

export interface Starts {
  /** From spawn to the first answered send, the embedded database being there. */
  readonly coldStartMs: number;
  /** How much longer than Node that does nothing. */
  readonly helpMs: number;
  readonly commandMs: number;
  readonly bareNodeMs: number;
}

/** A server that was there before, and what a person types at it. */
export async function starts(folder: string, runs: number): Promise<Starts> {
  mkdirSync(join(folder, 'home'), { recursive: true });
  let server = await startServer(folder);
  const { secret } = await signIn(server, ['one']);
  await server.child.stop();

  const begun = performance.now();
  server = await startServer(folder);
  const sender = await unary(server.url, secret);
  await sender.send('one', 'first');
  const coldStartMs = performance.now() - begun;
  await sender.close();

  const env = {
    ...process.env,
    AGENTWORKS_DATA: join(folder, 'data'),
    AGENTWORKS_CONFIG: join(folder, 'home/config.json'),
  };
  const run = (...args: string[]): number => {
    const from = performance.now();
    const { status, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8' });
    if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr}`);
    return performance.now() - from;
  };
  run(cli, 'login');
  const times = { bare: [] as number[], help: [] as number[], command: [] as number[] };
  for (let i = 0; i < runs; i++) {
    times.bare.push(run('-e', '0'));
    times.help.push(run(cli, '--help'));
    times.command.push(run(cli, 'messages', 'list'));
  }
  await server.child.stop();
  const bareNodeMs = median(times.bare);
  return {
    coldStartMs,
    bareNodeMs,
    helpMs: median(times.help) - bareNodeMs,
    commandMs: median(times.command) - bareNodeMs,
  };
}
