import { ListResponseSchema } from '#gen/agentworks/agents/v1/agents_pb.ts';
import { command } from '../../command.ts';
import { afterOption, pageSizeOption, sayMore } from '../paging.ts';
import { agentTable } from './agent-table.ts';

export const list = command({
  description:
    'live: a message wakes it. hooks: it takes messages at its next turn. mailbox-only: it reads when it likes.\noffline: its session or its bridge is away; messages wait.',
  options: { after: afterOption, pageSize: pageSizeOption },
  examples: ['agentworks agents', 'agentworks messages list --json'],
  async run({ face, client }, { after = '', pageSize = 0 }) {
    const page = await (await client()).agents.list({ after, pageSize });
    face.result(ListResponseSchema, page, () => agentTable(page.agents));
    sayMore(face, page.nextCursor);
  },
});
