import { whereIs } from '../../../bridge/socket/where.ts';
import { command, Usage } from '../../command.ts';
import { required, turnOn } from '../../options.ts';

export const serve = command({
  description:
    'Speaks MCP on stdin and stdout, as a child of the host whose chat it serves: our plugins start it. It holds no\ncredential, asks the bridge for everything, and ends with its host.',
  options: {
    bridge: turnOn("The messaging tools of the host's own chat"),
    provider: required('HOST', 'The host: claude'),
  },
  examples: ['agentworks mcp serve --bridge --provider claude'],
  async run({ io, globals }, { bridge, provider }) {
    if (!bridge) throw new Usage('Say which tools: --bridge.');
    const { serveChild } = await import('../../mcp/child.ts');
    await serveChild(whereIs(io.env, globals.config), provider, io.signal);
  },
});
