import { Acknowledgement } from '#gen/agentworks/agents/v1/attachments_pb.ts';
import { AcknowledgeResponseSchema } from '#gen/agentworks/bridge/v1/local_pb.ts';
import { command, Usage } from '../../../command.ts';
import { many, turnOn } from '../../../options.ts';
import { askBridge, providerOption } from './ask-bridge.ts';

export const ack = command({
  description: 'Their senders see it. Without --processed: that this chat has them.',
  options: {
    ...providerOption,
    message: many('MESSAGE_ID', 'A message'),
    processed: turnOn('That it acted on them'),
  },
  operand: { name: 'MESSAGE_ID', summary: 'As --message', optional: true },
  examples: [
    'agentworks bridge message ack --provider claude msg_01ABC',
    'agentworks bridge message ack --provider claude --processed --message msg_01ABC --message msg_01DEF',
  ],
  async run(context, { provider, message = [], processed }, operand) {
    const messageIds = [...message, ...(operand === undefined ? [] : [operand])];
    if (messageIds.length === 0) throw new Usage('Say which: MESSAGE_ID.');
    const acknowledgement = processed ? Acknowledgement.PROCESSED : Acknowledgement.ADMITTED;
    const answer = await askBridge(context, provider, (local, asker) =>
      local.acknowledge({ asker, messageIds, acknowledgement }),
    );
    const { acknowledgedIds = [], unknownIds = [] } = answer.acknowledged ?? {};
    context.face.result(AcknowledgeResponseSchema, answer, () => ({
      columns: [{ title: 'MESSAGE' }, { title: 'STATE' }],
      rows: [
        ...acknowledgedIds.map((id) => [id, processed ? 'processed' : 'admitted']),
        ...unknownIds.map((id) => [id, "not in this chat's mailbox"]),
      ],
    }));
    if (answer.kept)
      context.face.say('Kept: the server is away, and is told when it is back, if this chat is still attached then.');
  },
});
