import { join } from 'node:path';
import { launcher, quoted } from '../launcher.ts';
import { packageFolder } from '../package-folder.ts';
import { type Files, filesBelow } from '../stable-folder.ts';

/** What only this computer knows. Hooks find nothing by PATH, which hosts change and leave empty. */
export interface Known {
  /** The folder of markers, one an attached session. */
  readonly attached: string;
  /** Where the running bridge says where it is. */
  readonly record: string;
  readonly config: string;
  readonly node: string;
  /** Empty where there is none. */
  readonly curl: string;
  readonly head: string;
}

/** The plugin as it is shipped, with what only this computer knows. */
export function pluginFiles({ config, ...known }: Known): Files {
  const found = packageFolder();
  const program = join(found, 'bin', 'agentworks.cjs');
  const lines = Object.entries(known).map(([name, value]) => `${name}=${quoted(value)}\n`);
  return new Map<string, Buffer | string>([
    ...filesBelow(join(found, 'plugins', 'claude')),
    ['hooks/installed.sh', `# Written by \`agentworks plugins install\`.\n${lines.join('')}`],
    ['bin/agentworks', launcher(known.node, program, config)],
  ]);
}
