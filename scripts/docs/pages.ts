import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { commandsIn } from './shell.ts';

/** What a page claims that can be looked at. */
export interface Page {
  readonly path: string;
  readonly links: readonly string[];
  /** Files that are named in the text, from the root of the repository. */
  readonly files: readonly string[];
  /** Command lines of its shell blocks and of its text, word by word. */
  readonly commands: readonly (readonly string[])[];
  readonly anchors: readonly string[];
}

const FOLDERS = 'server|cli|bridge|proto|test|scripts|docs|bin|examples|gen|bench';

/** Tells of commands that are still to be built. */
const PROMISES = new Set(['docs/contract.md']);

/** Every page that git has or could have. */
export function readPages(): Page[] {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'], {
    encoding: 'utf8',
  });
  return listed
    .split('\n')
    .filter((path) => path !== '')
    .map((path) => readPage(path, readFileSync(path, 'utf8')));
}

function readPage(path: string, text: string): Page {
  const blocks = [...text.matchAll(/^```(\w*)\n([^]*?)^```/gm)];
  const prose = text.replaceAll(/^```[^]*?^```/gm, '');
  const spans = [...prose.matchAll(/`([^`\n]+)`/g)].map(([, span]) => span!);
  const shell = blocks.filter(([, language]) => language === 'sh').map(([, , code]) => code!);
  const indented = [...prose.matchAll(/^ {4}(npm .*|npx .*|agentworks [^…\n]*)$/gm)].map(([, line]) => line!);
  return {
    path,
    links: [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link!).filter((link) => !/^[a-z]+:/.test(link)),
    files: spans.filter((span) => new RegExp(`^(?:${FOLDERS})/[\\w./-]+\\.\\w+$`).test(span)),
    commands: PROMISES.has(path) ? [] : [...shell, ...indented, ...spans.filter(isCommand)].flatMap(commandsIn),
    anchors: [...prose.matchAll(/^#+ (.*)$/gm)].map(([, heading]) => anchorOf(heading!)),
  };
}

/** A command in running text; `…` and `|` stand for what is left out. */
const isCommand = (span: string): boolean =>
  /^(?:npx )?agentworks [a-z_-]|^npm (?:run )?[a-z]/.test(span) && !/[…|]/.test(span);

const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
