import { closeSync, existsSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { setTimeout as later } from 'node:timers/promises';
import { whereIs } from '../../../bridge/socket/where.ts';
import { command } from '../../command.ts';
import type { Io } from '../../context.ts';
import { printable } from '../../faces/printable.ts';
import { number, turnOn } from '../../options.ts';

export const logs = command({
  description: 'One JSON line an event, never a body or a secret.',
  options: {
    lines: number('N', 'How many lines from the end; without it, 50'),
    follow: turnOn('Go on printing as it grows, until Ctrl-C'),
  },
  examples: ['agentworks bridge logs', 'agentworks bridge logs --follow'],
  async run({ io, face, globals }, { lines, follow }) {
    const file = whereIs(io.env, globals.config).log;
    if (!existsSync(file))
      return face.say(`There is no log yet (${file}). Start the bridge with: agentworks bridge start`);
    const text = readFileSync(file, 'utf8');
    print(
      io,
      text
        .split('\n')
        .slice(0, -1)
        .slice(-(lines ?? 50)),
    );
    if (follow) await followed(io, file, Buffer.byteLength(text));
  },
});

const print = (io: Io, lines: readonly string[]): void => {
  if (lines.length > 0) io.out(lines.map((line) => `${printable(line)}\n`).join(''));
};

async function followed(io: Io, file: string, from: number): Promise<void> {
  let at = from;
  let rest = '';
  while (!io.signal.aborted) {
    const { text, end } = readFrom(file, at);
    at = end;
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    print(io, lines);
    await later(250, undefined, { signal: io.signal }).catch(() => {});
  }
}

/** A log that was put aside begins anew. */
function readFrom(file: string, from: number): { text: string; end: number } {
  if (!existsSync(file)) return { text: '', end: 0 };
  const descriptor = openSync(file, 'r');
  try {
    const { size } = fstatSync(descriptor);
    const start = size < from ? 0 : from;
    const buffer = Buffer.alloc(size - start);
    const read = readSync(descriptor, buffer, 0, buffer.length, start);
    return { text: buffer.subarray(0, read).toString('utf8'), end: start + read };
  } finally {
    closeSync(descriptor);
  }
}
