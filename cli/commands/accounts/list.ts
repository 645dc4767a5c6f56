import { ListAccountsResponseSchema } from '#gen/agentworks/access/v1/access_pb.ts';
import { command } from '../../command.ts';
import { dateOf } from '../../faces/time.ts';
import { afterOption, pageSizeOption, sayMore } from '../paging.ts';
import { asOwner } from './owner.ts';

export const list = command({
  options: { after: afterOption, pageSize: pageSizeOption },
  examples: ['agentworks accounts list'],
  async run({ io, face }, { after = '', pageSize = 0 }) {
    const page = await asOwner(io, (access, loginKey) => access.listAccounts({ loginKey, after, pageSize }));
    face.result(ListAccountsResponseSchema, page, () => ({
      columns: [{ title: 'ACCOUNT' }, { title: 'ID' }, { title: 'ADDED' }],
      rows: page.accounts.map(({ name, accountId, createTime }) => [name, accountId, dateOf(createTime)]),
    }));
    sayMore(face, page.nextCursor);
  },
});
