import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { hasClaudePlugin } from './claude-plugin.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'agentworks-plugin-'));
  mkdirSync(join(root, 'project', '.claude'), { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const say = (file: string, enabledPlugins: object) =>
  writeFileSync(join(root, file), JSON.stringify({ enabledPlugins }));
const has = () => hasClaudePlugin({ config: root, folder: join(root, 'project') });

test('the plugin is there for every chat, or for those of one project', () => {
  expect(has()).toBe(false);
  say('settings.json', { 'agentworks@agentworks': true, 'other@x': true });
  expect(has()).toBe(true);
  expect(hasClaudePlugin({ config: undefined, folder: '' })).toBe(false);
});

test('the settings nearest to the chat decide', () => {
  say('settings.json', { 'agentworks@agentworks': false });
  say('project/.claude/settings.json', { 'agentworks@agentworks': true });
  expect(has()).toBe(true);
  say('project/.claude/settings.local.json', { 'agentworks@agentworks': false });
  expect(has()).toBe(false);
});

test.each(['', 'null', '[', '{"enabledPlugins":null}'])('settings that read %j say nothing', (text) => {
  writeFileSync(join(root, 'settings.json'), text);
  expect(has()).toBe(false);
});
