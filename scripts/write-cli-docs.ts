import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import type { Command } from '../cli/command.ts';
import { everyEntry, isNoun, type Verb } from '../cli/commands.ts';
import { exitCodeTable } from '../cli/commands/help/exit-codes.ts';
import { globalOptions, type Option, type Options } from '../cli/options.ts';

/** `node scripts/write-cli-docs.ts` writes docs/cli.md from the commands themselves; `--check` fails when it would change. */
const FILE = 'docs/cli.md';

const kebab = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
const cell = (words: string): string => words.replaceAll('|', '\\|');

const placeholder = (option: Option): string => (option.kind === 'switch' ? '' : ` ${option.placeholder}`);

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.map(cell).join(' | ')} |`).join('\n');

const optionRows = (options: Options): string[][] =>
  Object.entries(options)
    .filter(([, option]) => !(option.kind === 'text' && option.hidden === true))
    .map(([name, option]) => [`\`--${kebab(name)}${placeholder(option)}\``, `${option.summary}${note(option)}`]);

function note(option: Option): string {
  if (option.kind === 'many') return '; may be given several times';
  return option.kind === 'text' && option.required === true ? '; required' : '';
}

function section(
  level: string,
  words: string,
  { summary }: Verb,
  { description, options, operand, examples }: Command,
): string {
  const rows = [...(operand === undefined ? [] : [[`\`${operand.name}\``, operand.summary]]), ...optionRows(options)];
  return [
    `${level} agentworks ${words}`,
    `${summary}.${description === undefined ? '' : `\n\n${description.replaceAll('\n', ' ')}`}`,
    ...(rows.length === 0 ? [] : [table(['Option', 'Meaning'], rows)]),
    `\`\`\`sh\n${examples.join('\n')}\n\`\`\``,
  ].join('\n\n');
}

async function sections(): Promise<string[]> {
  const parts: string[] = [];
  for (const [words, entry] of everyEntry()) {
    const level = '#'.repeat(words.length + 1);
    const name = words.join(' ');
    parts.push(
      isNoun(entry) ? `${level} ${name}\n\n${entry.summary}.` : section(level, name, entry, await entry.load()),
    );
  }
  return parts;
}

const head = `<!-- Written by scripts/write-cli-docs.ts from the commands; do not edit. -->

# The command line

The result of a command goes to stdout, and what is said about it to stderr. At a terminal a result has fitted columns
and says how long ago; in a pipe it has tabs, no header, exact times and nothing is cut. With \`--json\` it is the API's own
message, one document a line. Nothing waits for an answer in a pipe.

Every command takes these, anywhere on the line:

${table(['Option', 'Meaning'], optionRows(globalOptions))}

## Exit codes

A refusal is one sentence on stderr; with \`--json\` one line with \`reason\`, \`subject\`, \`bound\`, \`sentence\` and
\`suggestions\`.

${table(
  ['Code', 'Name', 'Meaning'],
  exitCodeTable.map(([code, name, meaning]) => [String(code), `\`${name}\``, meaning]),
)}`;

const found = await sections();
const raw = `${[head, ...found].join('\n\n')}\n`;
// As `npm run check` wants every Markdown file to stand.
const written = execFileSync('node_modules/.bin/oxfmt', ['--stdin-filepath', FILE], { input: raw, encoding: 'utf8' });
if (!process.argv.includes('--check')) writeFileSync(FILE, written);
else if (readFileSync(FILE, 'utf8') !== written) {
  console.error(`${FILE} is not what the commands say: run node scripts/write-cli-docs.ts`);
  process.exitCode = 1;
}
console.log(`${FILE}: ${found.filter((part) => /^##+ agentworks/.test(part)).length} commands`);
