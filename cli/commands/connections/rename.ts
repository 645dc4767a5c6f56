import { UpdateConnectionResponseSchema } from '#gen/agentworks/access/v1/access_pb.ts';
import { command } from '../../command.ts';
import { required } from '../../options.ts';
import { connectionTable } from './connection-table.ts';

export const rename = command({
  options: { label: required('TEXT', 'What you will see in the list of connections') },
  operand: { name: 'CONNECTION_ID', summary: 'Its public id, from agentworks connections list' },
  examples: ['agentworks connections rename con_01ABC --label "old build server"'],
  async run({ face, client }, { label }, connectionId = '') {
    const answer = await (await client()).access.updateConnection({ connectionId, label });
    face.result(UpdateConnectionResponseSchema, answer, () =>
      connectionTable(answer.connection === undefined ? [] : [answer.connection], new Date()),
    );
  },
});
