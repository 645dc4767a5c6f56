import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Io } from './context.ts';
import { FAULT } from './exit-codes.ts';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const numbers = { SIGINT: 2, SIGTERM: 15, SIGHUP: 1, SIGKILL: 9 } as Record<string, number>;

/** What only the command line knows: the server refuses a setting that it does not know. */
const ours = new Set(['AGENTWORKS_CONFIG', 'AGENTWORKS_KEYRING', 'AGENTWORKS_ACCESSIBLE']);

const serverEnv = (env: Io['env']): Io['env'] =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !ours.has(name)));

/** The server is its own process: the command line imports nothing of it. Answers its exit code. */
export async function serverProcess(io: Io, ...args: readonly string[]): Promise<number> {
  const built = new URL('./server.js', import.meta.url);
  const entry = existsSync(built) ? built : new URL('../server/main.ts', import.meta.url);
  const child = spawn(process.execPath, [fileURLToPath(entry), ...args], { stdio: 'inherit', env: serverEnv(io.env) });
  const pass = signals.map((signal) => {
    // At a terminal Ctrl-C reaches the server by itself; passing it on would be a second one.
    const handler = () => void (signal === 'SIGINT' && process.stdin.isTTY ? undefined : child.kill(signal));
    process.on(signal, handler);
    return [signal, handler] as const;
  });
  try {
    const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
    return code ?? (signal === null ? FAULT : 128 + (numbers[signal] ?? 0));
  } finally {
    for (const [signal, handler] of pass) process.off(signal, handler);
  }
}
