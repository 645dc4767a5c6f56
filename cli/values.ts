/**
 * stricli knows `--name=value` only where the value is neither empty nor holds a line break, and takes a value that begins
 * with a dash for an option. Such a value travels as a number behind a NUL, which no command line can hold.
 */
export class Values {
  readonly #kept: string[] = [];

  /** The line with every such value put away. What stands after `--` is left alone. */
  putAway(line: readonly string[]): string[] {
    const end = line.includes('--') ? line.indexOf('--') : line.length;
    return line.flatMap((word, at) => {
      const [, name, value = ''] = (at < end && /^(--[a-z][a-z-]*)=(|-.*|.*\n.*)$/is.exec(word)) || [];
      return name === undefined ? [word] : [name, `\0${this.#kept.push(value) - 1}`];
    });
  }

  readonly read = (word: string): string => (word.startsWith('\0') ? this.#kept[Number(word.slice(1))]! : word);
}
