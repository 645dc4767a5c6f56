import { resolve } from 'node:path';
import { Refusal } from '../../../bridge/client/index.ts';
import { whereIs } from '../../../bridge/socket/where.ts';
import { command } from '../../command.ts';
import { confirm } from '../../confirm.ts';
import { text, turnOn } from '../../options.ts';
import type { Scope } from '../../plugins/host.ts';
import { hostOf } from '../../plugins/hosts.ts';
import { scopeCell } from './scope-cell.ts';

export const uninstall = command({
  description:
    'Takes our plugin out of the host again, everywhere unless a place is named; from the last place its files go too.\nAttached names stay, and show offline once their chats end.',
  options: {
    project: text('DIR', 'Only out of this project'),
    global: turnOn('Only where it is for every chat of yours'),
    program: text('PATH', 'The host program; looked for on PATH when absent'),
    yes: turnOn('Do it without asking'),
  },
  operand: { name: 'HOST', summary: 'The host: claude' },
  examples: ['agentworks plugins uninstall claude', 'agentworks plugins uninstall claude --project . --yes'],
  async run({ io, face, globals }, { project, global: isGlobal, program, yes }, provider) {
    const host = hostOf(provider, { io, where: whereIs(io.env, globals.config), program });
    const isMeant = (scope: Scope) => {
      if (!isGlobal && project === undefined) return true;
      return scope === 'global' ? isGlobal : project !== undefined && scope.project === resolve(project);
    };
    const scopes = (await host.installed()).map(({ scope }) => scope).filter(isMeant);
    if (scopes.length === 0 && (isGlobal || project !== undefined))
      throw new Refusal('NOT_FOUND', 'The plugin is not installed there. See: agentworks plugins status claude');
    const places = scopes.map(scopeCell);
    face.say(`This will take the plugin out of: ${places.join(', ') || 'no project, only its files'}`);
    if (!yes && !(await confirm(io, 'Go on?'))) return;
    await host.uninstall(scopes);
    face.document({ provider: host.provider, removed: scopes }, () => ({
      columns: [{ title: 'REMOVED' }],
      rows: places.map((place) => [place]),
    }));
  },
});
