import { CreateConnectionResponseSchema } from '#gen/agentworks/access/v1/access_pb.ts';
import { command, Usage } from '../../command.ts';
import { number, text } from '../../options.ts';
import { scopeOption, targetOption } from './rights.ts';

export const create = command({
  description:
    'Without --scope it may do what `run` holds, and without --target it reaches everyone in the account.\nThe secret is shown this once. Give the program this id where a name should be usable by it: --allow-connection ID',
  options: {
    scope: scopeOption,
    target: targetOption,
    label: text('TEXT', 'What you will see in the list of connections'),
    expireSeconds: number('SECONDS', 'Ends by itself after so long; without it, never'),
  },
  operand: { name: 'LABEL', summary: 'As --label', optional: true },
  examples: [
    'agentworks connections create --label "build server"',
    'agentworks connections create --label dashboard --scope read',
    'agentworks connections create --label nightly --scope messages:send --target agent:shop-lead',
  ],
  async run({ io, face, client }, { label, scope = [], target = [], expireSeconds = 0 }, operand) {
    if ((label === undefined) === (operand === undefined)) throw new Usage('Give the connection one --label.');
    const answer = await (
      await client()
    ).access.createConnection({
      label: label ?? operand ?? '',
      expireSeconds: BigInt(expireSeconds),
      scopes: [...scope],
      targets: [...target],
    });
    face.result(CreateConnectionResponseSchema, answer, () => ({
      columns: [{ title: 'CONNECTION' }, { title: 'SECRET' }],
      rows: [[answer.connection?.connectionId, answer.secret]],
    }));
    if (io.isTerminal === true)
      face.say('Keep the secret now: it is not shown again. agentworks connections revoke ID ends it.');
  },
});
