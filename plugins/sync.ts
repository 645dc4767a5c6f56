import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** What plugins have in common is written once. `node plugins/sync.ts` copies it; `--check` fails where a copy differs. */
const copies = [
  ['plugins/shared/skills/agent-messages/SKILL.md', 'plugins/claude/skills/agent-messages/SKILL.md'],
  ['plugins/shared/hook/ask.cjs', 'plugins/claude/hooks/ask.cjs'],
] as const;

const isCheck = process.argv.includes('--check');
for (const [source, copy] of copies) {
  if (textOf(source) === textOf(copy)) continue;
  if (isCheck) {
    console.error(`${copy} is not ${source}: run node plugins/sync.ts`);
    process.exitCode = 1;
  } else {
    mkdirSync(dirname(copy), { recursive: true });
    writeFileSync(copy, readFileSync(source));
  }
}
console.log(`plugins: ${copies.length} copies`);

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
