import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HostSession } from './session.ts';

type Settings = { readonly enabledPlugins?: Readonly<Record<string, unknown>> } | null;

/** Whether a chat that starts where this one did finds our plugin: the nearest settings that speak of it decide. */
export function hasClaudePlugin({ config, folder }: Pick<HostSession, 'config' | 'folder'>): boolean {
  const nearestFirst = [
    ...(folder === ''
      ? []
      : [join(folder, '.claude', 'settings.local.json'), join(folder, '.claude', 'settings.json')]),
    ...(config === undefined ? [] : [join(config, 'settings.json')]),
  ];
  return nearestFirst.map(isEnabledIn).find((said) => said !== undefined) ?? false;
}

function isEnabledIn(file: string): boolean | undefined {
  try {
    const { enabledPlugins = {} } = (JSON.parse(readFileSync(file, 'utf8')) as Settings) ?? {};
    const ours = Object.entries(enabledPlugins).filter(([name]) => name.startsWith('agentworks@'));
    return ours.length === 0 ? undefined : ours.some(([, isEnabled]) => isEnabled === true);
  } catch {
    // Not there, or not to be understood: it says nothing.
    return undefined;
  }
}
