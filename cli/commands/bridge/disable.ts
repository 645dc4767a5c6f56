import { whereIs } from '../../../bridge/socket/where.ts';
import { disable as disableService } from '../../autostart/autostart.ts';
import { command } from '../../command.ts';

export const disable = command({
  description: 'Ends it as well. Attaching a chat, or agentworks bridge start, starts it again.',
  options: {},
  examples: ['agentworks bridge disable'],
  async run({ io, face, globals }) {
    const isUndone = await disableService(whereIs(io.env, globals.config), io.env);
    face.document({ isUndone }, () => ({ columns: [], rows: [] }));
    face.say(isUndone ? 'The bridge is not started at sign-in any more.' : 'It was not enabled.');
  },
});
