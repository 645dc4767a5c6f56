import { WatchInboxResponseSchema, WatchMailboxResponseSchema } from '#gen/agentworks/messages/v1/messages_pb.ts';
import type { WatchOptions } from '../../../bridge/client/index.ts';
import { command, Usage } from '../../command.ts';
import { hidden, number } from '../../options.ts';
import { Breaks } from '../breaks.ts';
import { afterOption } from '../paging.ts';
import { checkOneMailbox, mailboxOptions } from './mailbox.ts';
import { messageRows } from './message-rows.ts';

export const watch = command({
  description:
    'Runs until Ctrl-C, or until the right to read ends. When the connection breaks it goes on from where it was.\nWith --json a document comes for each batch; one without messages says that the watch began with none waiting.',
  options: {
    ...mailboxOptions,
    after: afterOption,
    count: number('COUNT', 'End after at least so many messages'),
    attachment: hidden('ID', 'The live attachment that reads'),
  },
  examples: ['agentworks messages watch --agent bob', 'agentworks messages watch --agent bob --count 1 --json'],
  async run({ io, face, client }, { agent, inbox, after = '', count, attachment = '' }) {
    checkOneMailbox({ agent, inbox });
    if (count !== undefined && count < 1) throw new Usage('--count is at least 1.');
    const breaks = new Breaks(face);
    const { onBreak } = breaks;
    const options: WatchOptions = { after, attachmentId: attachment, signal: io.signal, onBreak };
    const works = await client();
    const batches = inbox === undefined ? works.watchMailbox(agent ?? '', options) : works.watchInbox(inbox, options);
    const schema = inbox === undefined ? WatchMailboxResponseSchema : WatchInboxResponseSchema;
    let seen = 0;
    for await (const batch of batches) {
      breaks.back('Connected again. Nothing was missed.');
      face.result(schema, batch as never, () => messageRows(batch.messages));
      seen += batch.messages.length;
      if (count !== undefined && seen >= count) {
        face.say(`What comes next: --after ${batch.nextCursor}`);
        return;
      }
    }
    io.signal.throwIfAborted();
  },
});
