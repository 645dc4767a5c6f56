import { SearchResponseSchema } from '#gen/agentworks/messages/v1/messages_pb.ts';
import { command } from '../../command.ts';
import { hidden, text } from '../../options.ts';
import { afterOption, pageSizeOption, sayMore } from '../paging.ts';
import { messageRows } from './message-rows.ts';

export const search = command({
  description: 'Words, "quoted phrases", -excluded words, and or between them.',
  options: {
    agent: text('NAME', 'Only messages sent or received by this agent'),
    after: afterOption,
    pageSize: pageSizeOption,
    attachment: hidden('ID', 'The live attachment that searches'),
  },
  operand: { name: 'QUERY', summary: 'What to look for' },
  examples: [
    'agentworks messages search "release notes"',
    `agentworks messages search --agent bob -- '"build failed" -flaky'`,
  ],
  async run({ io, face, client }, { agent = '', after = '', pageSize = 0, attachment = '' }, query = '') {
    const page = await (
      await client()
    ).messages.search({ query, agentName: agent, after, pageSize, attachmentId: attachment }, { signal: io.signal });
    face.result(SearchResponseSchema, page, () => messageRows(page.messages, 'Nothing found.'));
    sayMore(face, page.nextCursor);
  },
});
