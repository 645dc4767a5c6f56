import { CreateSignInCodeResponseSchema } from '#gen/agentworks/access/v1/access_pb.ts';
import { command } from '../command.ts';
import { dateOf } from '../faces/time.ts';

export const signInCode = command({
  description:
    'For a browser on any computer that reaches the server. It works once, within five minutes, and whoever has it signs in as you.',
  options: {},
  examples: ['agentworks sign-in-code'],
  async run({ face, client }) {
    const answer = await (await client()).access.createSignInCode({});
    face.result(CreateSignInCodeResponseSchema, answer, () => ({
      columns: [{ title: 'CODE' }, { title: 'PAGE' }, { title: 'ENDS' }],
      rows: [[answer.code, answer.url, dateOf(answer.expireTime)]],
    }));
  },
});
