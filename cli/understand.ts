import { commands, isNoun, type Noun, type Verb } from './commands.ts';

interface Understood {
  /** The line in the order that stricli wants: the command, then every option. */
  readonly words: readonly string[];
  /** The command's words as they are called. */
  readonly path: readonly string[];
  /** The command named; undefined for help of a noun, and for a line that names none. */
  readonly entry: Verb | undefined;
}

/** Which command a line names. Options that every command takes may stand before it. */
export function understand(argv: readonly string[]): Understood {
  const line = asHelp(argv);
  const path: string[] = [];
  const early: string[] = [];
  let level: Readonly<Record<string, Verb | Noun>> = commands;
  let entry: Verb | Noun | undefined;
  let at = 0;
  for (; at < line.length; at += 1) {
    const word = line[at]!;
    if (word === '--json' || word === '--accessible' || word.startsWith('--config=')) early.push(word);
    else if (word === '--config') early.push(word, ...line.slice(++at, at + 1));
    else {
      const name = nameOf(word, level);
      if (name === undefined) break;
      entry = level[name]!;
      path.push(name);
      if (!isNoun(entry)) {
        at += 1;
        break;
      }
      level = entry.verbs;
    }
  }
  if (entry !== undefined && isNoun(entry)) {
    const verb = usual(entry, line[at]);
    if (verb !== undefined) path.push(verb);
    entry = verb === undefined ? undefined : entry.verbs[verb];
  }
  const found = entry === undefined || isNoun(entry) ? undefined : entry;
  const rest = line.slice(at);
  const isForeign = found?.passesOn === true && rest.length > 0 && !['--help', '-h', '--'].includes(rest[0]!);
  const words = [...path, ...(found === undefined ? [] : early), ...(isForeign ? ['--'] : []), ...rest];
  return { words, path, entry: found };
}

function nameOf(word: string, level: Readonly<Record<string, Verb | Noun>>): string | undefined {
  if (Object.hasOwn(level, word)) return word;
  return Object.entries(level).find(([, entry]) => isNoun(entry) && entry.alias === word)?.[0];
}

/** `agents` alone, or with options only, is its usual verb; `agents --help` is about the noun. */
function usual({ usual: verb }: Noun, next: string | undefined): string | undefined {
  const isAboutNoun = next === '--help' || next === '-h' || (next !== undefined && !next.startsWith('-'));
  return isAboutNoun ? undefined : verb;
}

/** `help messages send` is what people type for `messages send --help`. */
function asHelp(argv: readonly string[]): readonly string[] {
  const [first, topic] = argv;
  if (first !== 'help' || (topic !== undefined && (topic.startsWith('-') || isTopic(topic)))) return argv;
  return [...argv.slice(1), '--help'];
}

const isTopic = (word: string): boolean => {
  const { help } = commands;
  return help !== undefined && isNoun(help) && Object.hasOwn(help.verbs, word);
};
