import { command } from '../command.ts';
import { serverProcess } from '../server-process.ts';

export const migrate = command({
  description:
    'Brings the PostgreSQL of DATABASE_URL up to this version. Back it up and stop its servers first.\nThe embedded database needs no command: it is migrated by every start.',
  options: {},
  examples: ['DATABASE_URL=postgresql://agentworks@db.example.com/agentworks agentworks migrate'],
  run: ({ io }) => serverProcess(io, 'migrate'),
});
