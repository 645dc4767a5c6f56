import { run, type StricliProcess } from '@stricli/core';
import { buildApp, type Named } from '../../cli/app.ts';
import { understand } from '../../cli/understand.ts';
import { Values } from '../../cli/values.ts';

const io = { env: {}, out: () => {}, err: () => {}, signal: AbortSignal.abort() };

/** Whether the command line understands these words, without doing what they say: undefined, or its complaint. */
export async function checkCommand(argv: readonly string[]): Promise<string | undefined> {
  const { words, path, entry } = understand(argv);
  if (entry === undefined && path.length === 0 && argv.every((word) => !word.startsWith('-'))) return 'no such command';
  // The name of a command alone is a mention of it, whatever it needs when it is run.
  if (entry !== undefined && argv.length === path.length) return undefined;
  const values = new Values();
  const named: Named | undefined =
    entry === undefined ? undefined : { path, command: { ...(await entry.load()), run: async () => {} }, values };
  let complaint = '';
  const process: StricliProcess = {
    stdout: { write: () => {} },
    stderr: { write: (text: string) => void (complaint += text) },
    env: { STRICLI_NO_COLOR: '1' },
  };
  await run(buildApp(named), values.putAway(words), { process, io });
  return Number(process.exitCode ?? 0) === 0 ? undefined : complaint.trim();
}
