import { join } from 'node:path';
import { type SignIn, writeSignIn } from '../../bridge/account/config.ts';
import type { Io } from '../../cli/context.ts';
import { main } from '../../cli/main.ts';

/** What a command line printed, and how it ended. */
export interface Printed {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs command lines in this process, under one sign-in. */
export function newCli(folder: string, signIn?: SignIn) {
  const env: Record<string, string> = {
    AGENTWORKS_CONFIG: join(folder, 'config', 'config.json'),
    AGENTWORKS_DATA: join(folder, 'data'),
    AGENTWORKS_KEYRING: 'off',
    NO_COLOR: '1',
    LANG: 'C.UTF-8',
  };
  if (signIn !== undefined) writeSignIn(env, signIn);
  return async (argv: readonly string[], io: Partial<Io> = {}): Promise<Printed> => {
    let out = '';
    let err = '';
    const code = await main(argv, {
      env,
      out: (text) => (out += text),
      err: (text) => (err += text),
      signal: new AbortController().signal,
      ...io,
    });
    return { code, out, err };
  };
}
