import { command } from '../command.ts';
import { serverProcess } from '../server-process.ts';

export const server = command({
  description:
    'Starts everything on an embedded PostgreSQL: gRPC, gRPC-Web, Connect and JSON on one port, and a private socket.\nSettings come from the environment: AGENTWORKS_DATA is its folder, DATABASE_URL another PostgreSQL.',
  options: {},
  examples: ['agentworks server', 'AGENTWORKS_DATA=/srv/agentworks agentworks server'],
  run: ({ io }) => serverProcess(io),
});
