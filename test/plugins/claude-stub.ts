import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

interface State {
  plugins: { id: string; scope: string; enabled: boolean; projectPath?: string }[];
  marketplaces: { name: string; path: string }[];
}

/** Stands in for Claude Code's plugin commands: remembers what it was told, and writes its settings as it does. */
const program = (node: string, file: string) => `#!${node}
const fs = require('fs');
const path = require('path');
const file = ${JSON.stringify(file)};
const state = JSON.parse(fs.readFileSync(file, 'utf8'));
const words = process.argv.slice(3);
const scope = words[words.indexOf('--scope') + 1];
const settings = scope === 'project' ? path.join(process.cwd(), '.claude', 'settings.json') : undefined;
const set = (enabled) => {
  if (settings === undefined) return;
  fs.mkdirSync(path.dirname(settings), { recursive: true });
  const kept = fs.existsSync(settings) ? JSON.parse(fs.readFileSync(settings, 'utf8')) : {};
  fs.writeFileSync(settings, JSON.stringify({ ...kept, enabledPlugins: enabled }));
};
const line = words.slice(0, 2).join(' ');
if (line === 'list --json') console.log(JSON.stringify(state.plugins));
else if (line === 'marketplace list') console.log(JSON.stringify(state.marketplaces));
else if (line === 'marketplace add') state.marketplaces.push({ name: 'agentworks', path: words[2] });
else if (line === 'marketplace remove') state.marketplaces = [];
else if (words[0] === 'install') {
  state.plugins.push({ id: words[1], scope, enabled: true, ...(scope === 'project' ? { projectPath: process.cwd() } : {}) });
  set({ [words[1]]: true });
} else if (words[0] === 'uninstall') {
  state.plugins = state.plugins.filter((one) => one.scope !== scope);
  set({});
} else process.exitCode = 1;
fs.writeFileSync(file, JSON.stringify(state));
`;

/** Puts it into a folder; answers its path, and what it remembers. */
export function claudeStub(folder: string): { readonly path: string; state: State } {
  const [path, file] = [join(folder, 'claude'), join(folder, 'claude-state.json')];
  writeFileSync(path, program(process.execPath, file), { mode: 0o755 });
  if (!existsSync(file)) writeFileSync(file, JSON.stringify({ plugins: [], marketplaces: [] }));
  return {
    path,
    get state() {
      return JSON.parse(readFileSync(file, 'utf8')) as State;
    },
    set state(state) {
      writeFileSync(file, JSON.stringify(state));
    },
  };
}
