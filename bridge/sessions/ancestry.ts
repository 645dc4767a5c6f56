import { parentOf } from './process-key.ts';

/** Deeper than any chain of shells; a number that was given out again could otherwise make a circle. */
const DEPTH = 64;

/** The process and those above it, nearest first. A parent that is gone ends the line: whoever was above it is not known. */
export function lineOf(pid: number): readonly number[] {
  const line: number[] = [];
  for (let at: number | undefined = pid; at !== undefined && at > 1 && line.length < DEPTH; at = parentOf(at)) {
    if (line.includes(at)) break;
    if (parentOf(at) === undefined) break;
    line.push(at);
  }
  return line;
}
