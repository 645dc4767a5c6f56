import { WhoAmIResponseSchema } from '#gen/agentworks/access/v1/access_pb.ts';
import { keeperOf } from '../../../bridge/account/credentials.ts';
import { command } from '../../command.ts';
import { contextTable } from './context-table.ts';

export const context = command({
  description:
    'The connection id is public: others of your account allow it with --allow-connection. It opens nothing.',
  options: {},
  examples: ['agentworks help context', 'agentworks help context --json'],
  async run({ face, signedIn }) {
    const { client, file, signIn, address } = await signedIn();
    const who = await client.access.whoAmI({});
    face.result(WhoAmIResponseSchema, who, () => contextTable(who, { file, keeper: keeperOf(signIn), address }));
  },
});
