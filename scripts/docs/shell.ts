/** The commands of a piece of shell, each as its words; variables and substitutions stay as they are written. */
export function commandsIn(text: string): string[][] {
  const lines = text.replaceAll(/\\\n\s*/g, ' ').split('\n');
  const inner = [...text.matchAll(/\$\(([^()]*)\)/g)].flatMap(([, command]) => commandsIn(command!));
  return [...lines.flatMap(commandsOfLine), ...inner];
}

const TOKEN = /\s*(?:(#.*$)|(&&|\|\||[|;&<>]+)|((?:"(?:[^"\\]|\\.)*"|'[^']*'|\$\([^)]*\)|\\.|[^\s"'|;&<>\\])+))/y;

function commandsOfLine(line: string): string[][] {
  const commands: string[][] = [[]];
  let isTarget = false;
  TOKEN.lastIndex = 0;
  for (let match = TOKEN.exec(line); match !== null && match[1] === undefined; match = TOKEN.exec(line)) {
    const [, , operator, word] = match;
    if (operator !== undefined) {
      isTarget = /[<>]/.test(operator);
      if (!isTarget) commands.push([]);
    } else if (isTarget) isTarget = false;
    else commands.at(-1)!.push(unquoted(word!));
  }
  return commands.map(withoutSettings).filter((words) => words.length > 0);
}

/** `NAME=value command …` is about the command. */
function withoutSettings(words: readonly string[]): string[] {
  const first = words.findIndex((word) => !/^[A-Z_]+=/.test(word));
  return first === -1 ? [] : words.slice(first);
}

const unquoted = (word: string): string =>
  word.replaceAll(
    /"((?:[^"\\]|\\.)*)"|'([^']*)'|\\(.)/g,
    (_, double?: string, single?: string, escaped?: string) =>
      (double?.replaceAll(/\\(.)/g, '$1') ?? single ?? escaped)!,
  );
