import { ListConnectionsResponseSchema } from '#gen/agentworks/access/v1/access_pb.ts';
import { command } from '../../command.ts';
import { turnOn } from '../../options.ts';
import { afterOption, pageSizeOption, sayMore } from '../paging.ts';
import { connectionTable } from './connection-table.ts';

export const list = command({
  options: { includeEnded: turnOn('Revoked and expired ones too'), after: afterOption, pageSize: pageSizeOption },
  examples: ['agentworks connections list', 'agentworks connections list --include-ended --json'],
  async run({ face, client }, { includeEnded, after = '', pageSize = 0 }) {
    const page = await (await client()).access.listConnections({ includeEnded, after, pageSize });
    face.result(ListConnectionsResponseSchema, page, () => connectionTable(page.connections, new Date()));
    sayMore(face, page.nextCursor);
  },
});
