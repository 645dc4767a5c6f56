import { execFile } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { Refusal } from '../../bridge/client/index.ts';
import { prepare, type Where } from '../../bridge/socket/where.ts';
import type { Io } from '../context.ts';
import { type Service, serviceOf } from './service.ts';

const run = promisify(execFile);

/** Has the bridge started at every sign-in to this computer, and now. Answers the file that says so. */
export async function enable(where: Where, env: Io['env']): Promise<string> {
  const service = known(where, env);
  const { file } = service;
  if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true)
    throw new Refusal('NOT_ALLOWED', `${file} is a symbolic link, so it is not written. Remove it.`, { subject: file });
  // Its log lies there, and the manager makes no folders.
  prepare(where);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, service.text, { mode: 0o600 });
  try {
    await ask(service.enable, env);
  } catch (error) {
    // What cannot be kept is not left behind.
    rmSync(file, { force: true });
    throw error;
  }
  return file;
}

/** Undoes it; false when it was not so. */
export async function disable(where: Where, env: Io['env']): Promise<boolean> {
  const service = known(where, env);
  if (!existsSync(service.file)) return false;
  await ask(service.disable, env);
  rmSync(service.file, { force: true });
  await ask(service.after, env);
  return true;
}

function known(where: Where, env: Io['env']): Service {
  const service = serviceOf(where, env);
  if (service !== undefined) return service;
  const sentence = `No manager of services is known for ${process.platform}. Have the system run this at sign-in: agentworks bridge start`;
  throw new Refusal('NOT_ALLOWED', sentence, { subject: process.platform });
}

async function ask(commands: Service['enable'], env: Io['env']): Promise<void> {
  for (const [program = '', ...args] of commands)
    try {
      await run(program, args, { env });
    } catch (error) {
      const { code, stderr = '' } = error as { code?: string | number; stderr?: string };
      const why = code === 'ENOENT' ? `${program} is not on PATH` : stderr.trim().split('\n')[0];
      const sentence = `${[program, ...args].join(' ')} failed: ${why}. The bridge can still be started by hand: agentworks bridge start`;
      throw new Refusal('UNAVAILABLE', sentence, { subject: program });
    }
}
