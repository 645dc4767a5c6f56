/** Everything a command may touch of the world around it. Tests hand in their own. */
export interface Io {
  readonly env: NodeJS.ProcessEnv;
  /** The result. */
  readonly out: (text: string) => void;
  /** What is said about it. */
  readonly err: (text: string) => void;
  /** Read only where `--input -` asks for it. */
  readonly stdin?: AsyncIterable<Uint8Array | string>;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
  /** Whether the result goes to a terminal. Otherwise a program reads it. */
  readonly isTerminal?: boolean;
  /** The terminal itself, for a screen. */
  readonly screen?: NodeJS.WriteStream;
  /** Width of the terminal in cells. */
  readonly columns?: number;
}
