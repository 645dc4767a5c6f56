import type { AgentWorks } from '../bridge/client/index.ts';
import type { SignedIn } from '../bridge/account/open.ts';
import type { Io } from './context.ts';
import type { Face } from './faces/face.ts';
import type { Given, GlobalsGiven, Options } from './options.ts';

/** What a command works with. */
export interface Context {
  readonly io: Io;
  readonly face: Face;
  readonly globals: GlobalsGiven;
  /** A client under this config's sign-in, closed when the command ends. */
  readonly client: () => Promise<AgentWorks>;
  /** The same, with where it came from. */
  readonly signedIn: () => Promise<SignedIn>;
}

/** The one thing a command is about, given without a name: `agentworks messages receipts MESSAGE_ID`. */
interface Operand {
  readonly name: string;
  readonly summary: string;
  readonly optional?: boolean;
  /** Any number of them, for a command that passes them on. */
  readonly many?: boolean;
}

interface Value<O extends Options> {
  /** What more there is to know, below the summary. */
  readonly description?: string;
  readonly options: O;
  readonly operand?: Operand;
  /** Whole command lines, as one would type them. */
  readonly examples: readonly string[];
  /** The exit code, where it is not 0. */
  readonly run: (
    context: Context,
    given: Given<O>,
    operand: string | undefined,
    operands: readonly string[],
  ) => Promise<number | void>;
}

/** A command whose options nobody looks into any more. */
export type Command = Omit<Value<Options>, 'run'> & {
  readonly run: (
    context: Context,
    given: never,
    operand: string | undefined,
    operands: readonly string[],
  ) => Promise<number | void>;
};

/** A command is a value: help, completion and docs/cli.md come from it. Its summary stands in `commands.ts`. */
export const command = <const O extends Options>(value: Value<O>): Command => value;

/** A command line that was understood and makes no sense. Nothing was asked of the server. */
export class Usage extends Error {
  override readonly name = 'Usage';
}
