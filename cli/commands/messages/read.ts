import { ReadResponseSchema } from '#gen/agentworks/messages/v1/messages_pb.ts';
import { command } from '../../command.ts';
import { hidden, number, text } from '../../options.ts';
import { afterOption, pageSizeOption } from '../paging.ts';
import { checkOneMailbox, mailboxOptions } from './mailbox.ts';
import { messageRows } from './message-rows.ts';

export const read = command({
  description:
    'Oldest first. The same read gives the same messages: nothing is consumed, and the cursor is yours to keep.',
  options: {
    ...mailboxOptions,
    after: afterOption,
    pageSize: pageSizeOption,
    wait: number('SECONDS', 'Wait so long for a message when there is none, 0 to 25'),
    fromAgent: text('NAME', 'Only messages of this sender'),
    attachment: hidden('ID', 'The live attachment that reads'),
  },
  examples: [
    'agentworks messages read --agent bob',
    'agentworks messages read --agent bob --after "$CURSOR" --wait 25 --json',
    'agentworks messages read --inbox inb_01ABC --from-agent alice',
  ],
  async run({ io, face, client }, given) {
    checkOneMailbox(given);
    const page = await (
      await client()
    ).messages.read(
      {
        agentName: given.agent ?? '',
        inboxId: given.inbox ?? '',
        after: given.after ?? '',
        pageSize: given.pageSize ?? 0,
        waitSeconds: given.wait ?? 0,
        fromAgent: given.fromAgent ?? '',
        attachmentId: given.attachment ?? '',
      },
      { signal: io.signal },
    );
    face.result(ReadResponseSchema, page, () => messageRows(page.messages, 'Nothing new.'));
    face.say(`What comes next: --after ${page.nextCursor}`);
  },
});
