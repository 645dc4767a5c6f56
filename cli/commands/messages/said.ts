import type { JsonObject } from '@bufbuild/protobuf';
import { Usage } from '../../command.ts';
import type { Io } from '../../context.ts';
import { readInput } from '../../input.ts';
import { text } from '../../options.ts';

/** How a command is told what to say. */
export const saidOptions = {
  message: text('TEXT', 'What to say; or as an argument after --'),
  input: text('FILE', 'Read what to say from a file; - is stdin'),
} as const;

export async function bodyOf(
  io: Io,
  { message, input }: { readonly message: string | undefined; readonly input: string | undefined },
  operand: string | undefined,
): Promise<string> {
  const given = [message, operand].filter((words) => words !== undefined);
  if (given.length + (input === undefined ? 0 : 1) !== 1)
    throw new Usage('Say what to send once: --message TEXT, an argument after --, or --input FILE (- is stdin).');
  return input === undefined ? given[0]! : readInput(io, input);
}

/** The object of `--metadata`. */
export function objectIn(json: string): JsonObject {
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject;
  } catch {
    // Answered below: whatever is wrong with it, the remedy is the same.
  }
  throw new Usage(`--metadata is a JSON object, as '{"ticket": 7}'.`);
}
