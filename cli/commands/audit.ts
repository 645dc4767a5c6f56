import { ListAuditEventsResponseSchema } from '#gen/agentworks/access/v1/access_pb.ts';
import { command } from '../command.ts';
import { dateOf } from '../faces/time.ts';
import { text } from '../options.ts';
import { afterOption, pageSizeOption, sayMore } from './paging.ts';

export const audit = command({
  description:
    'Sign-ins, connections, names, attachments and refusals, newest first. Never the body of a message.\nOf refusals one line a minute is kept for each connection and call, with how many there were.',
  options: {
    connectionId: text('ID', 'Only what this connection did, and what was done to it'),
    after: afterOption,
    pageSize: pageSizeOption,
  },
  examples: ['agentworks audit', 'agentworks audit --connection-id con_01ABC --json'],
  async run({ face, client }, { connectionId = '', after = '', pageSize = 0 }) {
    const page = await (await client()).access.listAuditEvents({ connectionId, after, pageSize });
    face.result(ListAuditEventsResponseSchema, page, () => ({
      columns: [
        { title: 'WHEN' },
        { title: 'WHAT' },
        { title: 'BY' },
        { title: 'ON' },
        { title: 'TIMES' },
        { title: 'IN WORDS', gives: true },
      ],
      rows: page.events.map((event) => [
        dateOf(event.time),
        event.kind,
        event.connectionId,
        event.subject,
        event.count,
        event.sentence,
      ]),
    }));
    sayMore(face, page.nextCursor);
  },
});
