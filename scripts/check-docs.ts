import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import manifest from '../package.json' with { type: 'json' };
import { checkCommand } from './docs/commands.ts';
import { type Page, readPages } from './docs/pages.ts';
import { hasSettings, withSettings } from './docs/settings-table.ts';

/**
 * What our pages say is so: links lead somewhere, files that are named exist, every `agentworks …` line is understood by
 * the command line, every `npm run …` is a script, and the settings are those that the server reads.
 */
const found: string[] = [];
const counts = { pages: 0, links: 0, files: 0, commands: 0, scripts: 0 };

if (process.argv.includes('--write')) writeFileSync('docs/operations.md', withSettings(read('docs/operations.md')));

const pages = readPages();
for (const page of pages) {
  counts.pages += 1;
  page.links.forEach((link) => checkLink(page, link));
  page.files.forEach((file) => checkFile(page, file));
  for (const line of page.commands) await checkLine(page, line);
}
if (!hasSettings(read('docs/operations.md')))
  found.push('docs/operations.md: the settings are not those of server/core/config.ts; npm run docs -- --write');

for (const [what, count] of Object.entries(counts)) if (count === 0) found.push(`no ${what} were looked at`);
for (const complaint of found) console.error(complaint);
console.log(
  `docs: ${Object.entries(counts)
    .map(([what, count]) => `${count} ${what}`)
    .join(', ')}; ${found.length} wrong`,
);
process.exitCode = found.length === 0 ? 0 : 1;

function checkLink(page: Page, link: string): void {
  counts.links += 1;
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? page.path : normalize(join(dirname(page.path), path));
  if (!existsSync(target)) found.push(`${page.path}: the link ${link} leads nowhere`);
  else if (anchor !== undefined && pages.find(({ path: other }) => other === target)?.anchors.includes(anchor) !== true)
    found.push(`${page.path}: ${target} has no heading #${anchor}`);
}

function checkFile(page: Page, file: string): void {
  counts.files += 1;
  if (!existsSync(file)) found.push(`${page.path}: names ${file}, which does not exist`);
}

async function checkLine(page: Page, words: readonly string[]): Promise<void> {
  const [program, ...rest] = words[0] === 'npx' ? words.slice(1) : words;
  if (program === 'agentworks') {
    counts.commands += 1;
    const complaint = await checkCommand(rest);
    if (complaint !== undefined) found.push(`${page.path}: ${words.join(' ')}: ${complaint}`);
  } else if (program === 'npm') {
    const script = rest[0] === 'run' ? rest.find((word, at) => at > 0 && !word.startsWith('-')) : rest[0];
    if (rest[0] !== 'run' && script !== 'start' && script !== 'test') return;
    counts.scripts += 1;
    if (script === undefined || !Object.hasOwn(manifest.scripts, script))
      found.push(`${page.path}: ${words.join(' ')}: there is no such script`);
  }
}

function read(path: string): string {
  return readFileSync(path, 'utf8');
}
