import { RevokeConnectionResponseSchema } from '#gen/agentworks/access/v1/access_pb.ts';
import { command } from '../../command.ts';

export const revoke = command({
  description: 'Answers when nothing more is released to it on any node. It cannot be undone.',
  options: {},
  operand: { name: 'CONNECTION_ID', summary: 'Its public id, from agentworks connections list' },
  examples: ['agentworks connections revoke con_01ABC'],
  async run({ face, client }, _given, connectionId = '') {
    const answer = await (await client()).access.revokeConnection({ connectionId });
    face.result(RevokeConnectionResponseSchema, answer, () => ({
      columns: [{ title: 'REVOKED' }],
      rows: answer.revokedConnectionIds.map((id) => [id]),
    }));
  },
});
