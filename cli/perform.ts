import { openSignedIn, type SignedIn } from '../bridge/account/open.ts';
import { Refusal } from '../bridge/client/index.ts';
import { type Command, Usage } from './command.ts';
import type { Io } from './context.ts';
import { exitCodes, FAULT, INTERRUPTED, USAGE } from './exit-codes.ts';
import { type Face, newFace } from './faces/face.ts';
import { inOptions } from './in-options.ts';
import type { GlobalsGiven } from './options.ts';

/** Runs a command's body, and turns whatever ends it into a sentence and an exit code. */
export async function perform(
  command: Command,
  io: Io,
  given: Readonly<Record<string, never>>,
  operands: readonly string[],
): Promise<number> {
  const globals = given as unknown as GlobalsGiven;
  const face = newFace(io, globals);
  let opened: Promise<SignedIn> | undefined;
  const signedIn = () => (opened ??= openSignedIn(io.env, globals.config));
  const client = async () => (await signedIn()).client;
  try {
    return (await command.run({ io, face, globals, signedIn, client }, given as never, operands[0], operands)) ?? 0;
  } catch (error) {
    return failed(error, { options: command.options, isJson: globals.json }, face, io);
  } finally {
    await opened?.then(
      ({ client: open }) => open.close(),
      () => {},
    );
  }
}

function failed(
  error: unknown,
  { options, isJson }: Pick<Command, 'options'> & { readonly isJson: boolean },
  face: Face,
  io: Io,
): number {
  if (io.signal.aborted) return INTERRUPTED;
  if (error instanceof Refusal) {
    const { reason, subject, bound, suggestions } = error;
    // With --json the names are the API's, as behind every door.
    const sentence = isJson ? error.sentence : inOptions(error, options);
    face.refuse({ reason, subject, bound, sentence, suggestions });
    return exitCodes[reason];
  }
  if (error instanceof Usage) {
    face.refuse(misused(error.message));
    return USAGE;
  }
  const fault = error instanceof Error ? (error.stack ?? error.message) : String(error);
  face.refuse({
    reason: 'FAULT',
    subject: '',
    bound: 0,
    sentence: `A fault of this program: ${fault}`,
    suggestions: [],
  });
  return FAULT;
}

/** A command line that makes no sense, in the shape of a refusal. */
const misused = (sentence: string) => ({ reason: 'USAGE', subject: '', bound: 0, sentence, suggestions: [] });
