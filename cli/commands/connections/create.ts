import { CreateConnectionResponseSchema } from '#gen/agentworks/access/v1/access_pb.ts';
import { command, Usage } from '../../command.ts';
import { number, text } from '../../options.ts';

export const create = command({
  description:
    'The secret is shown this once. Give the program this id where a name should be usable by it: --allow-connection ID',
  options: {
    label: text('TEXT', 'What you will see in the list of connections'),
    expireSeconds: number('SECONDS', 'Ends by itself after so long; without it, never'),
  },
  operand: { name: 'LABEL', summary: 'As --label', optional: true },
  examples: ['agentworks connections create --label "build server"'],
  async run({ io, face, client }, { label, expireSeconds = 0 }, operand) {
    if ((label === undefined) === (operand === undefined)) throw new Usage('Give the connection one --label.');
    const answer = await (
      await client()
    ).access.createConnection({ label: label ?? operand ?? '', expireSeconds: BigInt(expireSeconds) });
    face.result(CreateConnectionResponseSchema, answer, () => ({
      columns: [{ title: 'CONNECTION' }, { title: 'SECRET' }],
      rows: [[answer.connection?.connectionId, answer.secret]],
    }));
    if (io.isTerminal === true)
      face.say('Keep the secret now: it is not shown again. agentworks connections revoke ID ends it.');
  },
});
