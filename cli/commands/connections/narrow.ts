import { UpdateConnectionResponseSchema } from '#gen/agentworks/access/v1/access_pb.ts';
import { command, Usage } from '../../command.ts';
import { connectionTable } from './connection-table.ts';
import { kept, scopeOption, targetOption } from './rights.ts';

export const narrow = command({
  description:
    'Say what is left to it: only some of what it has, and "none" for nothing. What is not given stays.\nIt acts at once: what the connection has open ends, and is judged anew when it asks again. Nothing gives back what was taken.',
  options: { scope: scopeOption, target: targetOption },
  operand: { name: 'CONNECTION_ID', summary: 'Its public id, from agentworks connections list' },
  examples: [
    'agentworks connections narrow con_01ABC --scope read',
    'agentworks connections narrow con_01ABC --target agent:shop-lead --target agent:reviewer',
  ],
  async run({ face, client }, given, connectionId = '') {
    const [scopes, targets] = [kept('scope', given.scope), kept('target', given.target)];
    if (scopes === undefined && targets === undefined)
      throw new Usage('Say what is left to the connection: --scope, --target or both.');
    const answer = await (
      await client()
    ).access.updateConnection({
      connectionId,
      ...(scopes === undefined ? {} : { scopes }),
      ...(targets === undefined ? {} : { targets }),
    });
    face.result(UpdateConnectionResponseSchema, answer, () =>
      connectionTable(answer.connection === undefined ? [] : [answer.connection], new Date()),
    );
  },
});
