import { whereIs } from '../../../bridge/socket/where.ts';
import { command } from '../../command.ts';
import { text } from '../../options.ts';
import { hostOf } from '../../plugins/hosts.ts';
import { scopeCell } from './scope-cell.ts';

export const status = command({
  options: { program: text('PATH', 'The host program; looked for on PATH when absent') },
  operand: { name: 'HOST', summary: 'The host: claude' },
  examples: ['agentworks plugins status claude'],
  async run({ io, face, globals }, { program }, provider) {
    const host = hostOf(provider, { io, where: whereIs(io.env, globals.config), program });
    const installed = await host.installed();
    face.document({ provider: host.provider, folder: host.folder, installed }, () => ({
      columns: [{ title: 'WHERE' }, { title: 'STATE' }],
      rows: installed.map(({ scope, enabled }) => [scopeCell(scope), enabled ? 'enabled' : 'disabled']),
      empty: `Not installed. Install it with: agentworks plugins install ${host.provider}`,
    }));
  },
});
