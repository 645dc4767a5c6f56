import { RevokeConnectionResponseSchema } from '#gen/agentworks/access/v1/access_pb.ts';
import { create } from '@bufbuild/protobuf';
import { forgetSignIn, requireSignIn } from '../../bridge/account/credentials.ts';
import { Refusal } from '../../bridge/client/index.ts';
import { whereIs } from '../../bridge/socket/where.ts';
import { command } from '../command.ts';
import { turnOn } from '../options.ts';
import { stopBridge } from './bridge/stop.ts';

export const logout = command({
  description: 'Ends this connection and its children on the server, then forgets the secret. Names and messages stay.',
  options: { forget: turnOn('Forget it here even when the server cannot be asked; the connection lives on there') },
  examples: ['agentworks logout', 'agentworks logout --forget'],
  async run({ io, face, globals, client }, { forget }) {
    const { file, signIn } = requireSignIn(io.env, globals.config);
    const connectionId = signIn.connectionId ?? '';
    const answer = await (async () => (await client()).access.revokeConnection({ connectionId }))().catch(
      (error: unknown) => {
        // Revoked already: what is left to do is here.
        if (error instanceof Refusal && (forget || error.reason === 'SIGNED_OUT'))
          return create(RevokeConnectionResponseSchema);
        throw error;
      },
    );
    await forgetSignIn(io.env, file, signIn);
    // It has nobody to speak for any more.
    await stopBridge(whereIs(io.env, globals.config));
    face.result(RevokeConnectionResponseSchema, answer, () => ({
      columns: [{ title: 'REVOKED' }],
      rows: answer.revokedConnectionIds.map((id) => [id]),
    }));
    face.say('Signed out. Sign in again with: agentworks login');
  },
});
