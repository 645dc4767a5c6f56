import { run, type StricliProcess } from '@stricli/core';
import { buildApp, type Named, type Running } from './app.ts';
import type { Io } from './context.ts';
import { FAULT, USAGE } from './exit-codes.ts';
import { helpText } from './help-text.ts';
import { understand } from './understand.ts';
import { Values } from './values.ts';

/** Runs one command line. Tests call it in process. */
export async function main(argv: readonly string[], io: Io): Promise<number> {
  if (argv[0] === '__complete') {
    const { complete } = await import('./complete.ts');
    return complete(argv.slice(1), io);
  }
  const { words, path, entry } = understand(argv);
  const values = new Values();
  const named: Named | undefined = entry === undefined ? undefined : { path, command: await entry.load(), values };
  let complaint = '';
  // No exit code to begin with: stricli sets it only where it is still empty.
  const process: StricliProcess = {
    // Help and the version alone: a command prints by its face.
    stdout: { write: (text) => io.out(named === undefined ? text : helpText(text, named.command.options)) },
    stderr: { write: (text) => void (complaint += text) },
    env: { ...io.env, STRICLI_NO_COLOR: '1' },
  };
  const running: Running = { process, io };
  await run(buildApp(named), values.putAway(words), running);
  if (running.exitCode !== undefined) return running.exitCode;
  const isUnderstood = Number(process.exitCode ?? 0) === 0;
  if (isUnderstood) return 0;
  await complain(complaint.trim(), path, argv, io);
  return Number(process.exitCode) < 0 ? USAGE : FAULT;
}

/** What was not understood, and where to read how it is meant. */
async function complain(complaint: string, path: readonly string[], argv: readonly string[], io: Io): Promise<void> {
  const { newFace } = await import('./faces/face.ts');
  const { ended } = await import('./faces/sentence.ts');
  const flags = argv.includes('--') ? argv.slice(0, argv.indexOf('--')) : argv;
  const face = newFace(io, { json: flags.includes('--json'), accessible: flags.includes('--accessible') });
  const help = `See: ${['agentworks', ...path, '--help'].join(' ')}`;
  face.refuse({ reason: 'USAGE', subject: '', bound: 0, sentence: `${ended(complaint)} ${help}`, suggestions: [] });
}
