import { useInput } from 'ink';

export type Key =
  | 'up'
  | 'down'
  | 'pageUp'
  | 'pageDown'
  | 'home'
  | 'end'
  | 'tab'
  | 'enter'
  | 'escape'
  | 'backspace'
  | `ctrl-${string}`
  | { readonly text: string };

const named = [
  ['upArrow', 'up'],
  ['downArrow', 'down'],
  ['pageUp', 'pageUp'],
  ['pageDown', 'pageDown'],
  ['home', 'home'],
  ['end', 'end'],
  ['return', 'enter'],
  ['escape', 'escape'],
  ['backspace', 'backspace'],
  // Many terminals send DEL for Backspace.
  ['delete', 'backspace'],
] as const;

/**
 * One call a key. Ink hands over what one read brought: typed fast, or over a slow link, "all 40" and Enter are one input
 * without a named key, and Tab Tab is "\t\t".
 */
export function useKeys(press: (key: Key) => void): void {
  useInput((input, key) => {
    const found = named.find(([name]) => key[name]);
    if (found !== undefined) press(found[1]);
    else if (key.tab) press(key.shift ? 'up' : 'tab');
    else if (key.ctrl) press(`ctrl-${input}`);
    else if (!key.meta) for (const character of input) press(keyOf(character));
  });
}

function keyOf(character: string): Key {
  const code = character.codePointAt(0)!;
  if (character === '\r' || character === '\n') return 'enter';
  if (character === '\t') return 'tab';
  if (character === '\u007f' || character === '\b') return 'backspace';
  return code < 32 ? `ctrl-${String.fromCharCode(code + 96)}` : { text: character };
}
