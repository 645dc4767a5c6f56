import { command } from '../../../command.ts';
import { required, text } from '../../../options.ts';
import { sendByBridge, sendingOptions } from './sending.ts';

export const reply = command({
  options: {
    inbox: required('ID', 'The inbox_id of the message'),
    inReplyTo: text('MESSAGE_ID', 'The message this one answers'),
    ...sendingOptions,
  },
  operand: { name: 'TEXT', summary: 'As --message', optional: true },
  examples: ['agentworks bridge message reply --provider claude --inbox inb_01ABC --message "It is done."'],
  run: (context, given, operand) =>
    sendByBridge(context, given, operand, { inboxId: given.inbox, inReplyTo: given.inReplyTo ?? '' }),
});
