import { command } from '../../../command.ts';
import { required } from '../../../options.ts';
import { sendByBridge, sendingOptions } from './sending.ts';

export const send = command({
  description:
    "Speaks by the attached chat's name. While the server is away, it is kept and sent later, in order and once.",
  options: { target: required('ADDRESS', 'agent:NAME, as peers lists it'), ...sendingOptions },
  operand: { name: 'TEXT', summary: 'As --message', optional: true },
  examples: ['agentworks bridge message send --provider claude --target agent:bob --message "The build is green."'],
  run: (context, given, operand) => sendByBridge(context, given, operand, { target: given.target }),
});
