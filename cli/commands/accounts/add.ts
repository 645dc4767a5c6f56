import { AddAccountResponseSchema } from '#gen/agentworks/access/v1/access_pb.ts';
import { command } from '../../command.ts';
import { dateOf } from '../../faces/time.ts';
import { asOwner } from './owner.ts';

export const add = command({
  description: 'Accounts share nothing: names, messages and connections belong to one of them.',
  options: {},
  operand: { name: 'NAME', summary: 'The name of the account' },
  examples: ['agentworks accounts add shop'],
  async run({ io, face }, _given, accountName = '') {
    const answer = await asOwner(io, (access, loginKey) => access.addAccount({ loginKey, accountName }));
    const { account } = answer;
    face.result(AddAccountResponseSchema, answer, () => ({
      columns: [{ title: 'ACCOUNT' }, { title: 'ID' }, { title: 'ADDED' }],
      rows: [[account?.name, account?.accountId, dateOf(account?.createTime)]],
    }));
    face.say(`Sign in to it with: agentworks login --account ${account?.name} --config PATH`);
  },
});
