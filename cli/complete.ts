import { proposeCompletions } from '@stricli/core';
import { buildApp } from './app.ts';
import type { Io } from './context.ts';
import type { Command } from './command.ts';
import { understand } from './understand.ts';
import { Values } from './values.ts';

/** `agentworks __complete WORDS…`: what the last word may become, one proposal a line. Asks no server and reads no secret. */
export async function complete(words: readonly string[], io: Io): Promise<number> {
  const { words: line, path, entry } = understand(words);
  const named = entry === undefined ? undefined : { path, command: await entry.load(), values: new Values() };
  const app = buildApp(named);
  const process = { stdout: { write: io.out }, stderr: { write: io.err }, env: io.env };
  const proposals = await proposeCompletions(app, line.length === 0 ? [''] : line, { process, io });
  for (const { completion, brief } of proposals)
    if (!isHidden(completion, named?.command)) io.out(`${completion}\t${brief}\n`);
  return 0;
}

/** stricli keeps hidden options out of help, but not out of its proposals. */
function isHidden(completion: string, command: Command | undefined): boolean {
  const option = command?.options[completion.replace(/^--/, '')];
  return option?.kind === 'text' && option.hidden === true;
}
