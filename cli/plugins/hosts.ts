import { Usage } from '../command.ts';
import { claudeHost } from './claude/host.ts';
import type { PluginHost, Setting } from './host.ts';

const hosts: Readonly<Record<string, (setting: Setting) => PluginHost>> = { claude: claudeHost };

const providers = Object.keys(hosts);

export function hostOf(provider: string | undefined, setting: Setting): PluginHost {
  const make = provider === undefined ? undefined : hosts[provider];
  if (make === undefined)
    throw new Usage(`${provider ?? 'That'} is no host we have a plugin for: ${providers.join(', ')}.`);
  return make(setting);
}
