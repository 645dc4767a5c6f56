import { requireSignIn, secretOf } from '../../bridge/account/credentials.ts';
import { command } from '../command.ts';

export const token = command({
  description:
    'Whoever has this secret acts as you. It is for the server that issued it, over its socket or TLS only.\nFor another program make a connection of its own instead: agentworks connections create --label NAME',
  options: {},
  examples: [
    'curl --unix-socket "$SOCKET" -H "authorization: Bearer $(agentworks token)" -H "content-type: application/json" \\\n    -d "{}" http://localhost/agentworks.access.v1.AccessService/WhoAmI',
  ],
  async run({ io, face, globals }) {
    const { signIn } = requireSignIn(io.env, globals.config);
    const secret = await secretOf(io.env, signIn);
    face.document({ secret }, () => ({ columns: [{ title: 'SECRET' }], rows: [[secret]], blocks: () => [secret] }));
    if (io.isTerminal === true)
      face.say(
        'This is a secret, and it is on your screen now: whoever has it acts as you. agentworks logout revokes it.',
      );
  },
});
