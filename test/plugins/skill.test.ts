import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { messageTools } from '../../cli/mcp/tools.ts';

const source = readFileSync('plugins/shared/skills/agent-messages/SKILL.md', 'utf8');

test('PLG-2a the skill teaches every tool that there is, and its copies say the same', () => {
  for (const { name } of messageTools) expect(source).toContain(`\`${name}\``);
  const copies = globSync('plugins/*/skills/agent-messages/SKILL.md').filter((file) => !file.includes('shared'));
  expect(copies.length).toBeGreaterThan(0);
  for (const copy of copies) expect(readFileSync(copy, 'utf8')).toBe(source);
});

test('PLG-2a it says nothing of how messages travel', () => {
  expect(/socket|hook|bridge(?! message)|server|daemon|poll/i.exec(source)?.[0]).toBeUndefined();
});

test('the typed command is no tool of the model', () => {
  const command = readFileSync('plugins/claude/skills/agentworks/SKILL.md', 'utf8');
  expect(command).toContain('disable-model-invocation: true');
});
