import { resolve } from 'node:path';
import { whereIs } from '../../../bridge/socket/where.ts';
import { command, Usage } from '../../command.ts';
import { confirm } from '../../confirm.ts';
import { text, turnOn } from '../../options.ts';
import { hostOf } from '../../plugins/hosts.ts';

export const install = command({
  description:
    "Installs our plugin by the host's own commands, for the project of this folder. Shows first what will change, and\nasks. Chats that run already have it after a restart.",
  options: {
    project: text('DIR', 'The project it is to work in; this folder when absent'),
    global: turnOn('Every chat of yours, in whatever project'),
    program: text('PATH', 'The host program; looked for on PATH when absent'),
    yes: turnOn('Do it without asking'),
  },
  operand: { name: 'HOST', summary: 'The host: claude' },
  examples: ['agentworks plugins install claude', 'agentworks plugins install claude --global --yes'],
  async run({ io, face, globals }, { project, global: isGlobal, program, yes }, provider) {
    if (isGlobal && project !== undefined) throw new Usage('Say --global or --project, not both.');
    const host = hostOf(provider, { io, where: whereIs(io.env, globals.config), program });
    const scope = isGlobal ? 'global' : { project: resolve(project ?? '.') };
    const changes = await host.plan(scope);
    face.say('This will:');
    for (const change of changes) face.say(`  ${change}`);
    if (!yes && !(await confirm(io, 'Go on?'))) throw new Usage('Nothing was changed.');
    await host.install(scope);
    face.document({ provider: host.provider, folder: host.folder, scope, changes }, () => ({
      columns: [{ title: 'DONE' }],
      rows: changes.map((change) => [change]),
    }));
    face.say('Installed. Start a new chat there, and type: /agentworks attach NAME');
  },
});
