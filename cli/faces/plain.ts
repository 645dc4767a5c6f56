import type { Io } from '../context.ts';
import type { Face, Shown } from './face.ts';
import { printable } from './printable.ts';
import { ended } from './sentence.ts';
import { fittedRows, pipedRows, spokenRows } from './table.ts';
import { newTheme } from './theme.ts';

/** Lines for a person at a terminal, or rows for a program behind a pipe. */
export function plainFace(io: Io, isAccessible: boolean): Face {
  const theme = newTheme(io);
  const print = (shown: Shown) => {
    const lines = linesOf(shown);
    if (lines.length > 0) io.out(`${lines.join('\n')}\n`);
    else if (shown.empty !== undefined && io.isTerminal === true) io.err(`${printable(shown.empty)}\n`);
  };
  const linesOf = (shown: Shown): readonly string[] => {
    if (io.isTerminal !== true) return pipedRows(shown);
    if (shown.rows.length === 0) return [];
    if (shown.blocks !== undefined) return shown.blocks();
    const now = new Date();
    return isAccessible ? spokenRows(shown, now) : fittedRows(shown, io.columns ?? 80, theme, now);
  };
  return {
    result: (_schema, _message, shown) => print(shown()),
    document: (_value, shown) => print(shown()),
    say: (sentence) => io.err(`${printable(sentence)}\n`),
    refuse: ({ sentence, suggestions }) => {
      // The server's sentence may name them already.
      const isSaid = suggestions.length === 0 || suggestions.some((name) => sentence.includes(name));
      const text = isSaid ? sentence : `${ended(sentence)} Did you mean ${suggestions.join(', ')}?`;
      io.err(`agentworks: ${printable(text)}\n`);
    },
  };
}
