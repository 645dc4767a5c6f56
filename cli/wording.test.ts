import { afterEach, beforeEach, expect, test } from 'vitest';
import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import { MessageService } from '#gen/agentworks/messages/v1/messages_pb.ts';
import { newCli } from '../test/world/cli-run.ts';
import { refusing, StubServer } from '../test/world/stub-server.ts';
import { exitCodes } from './exit-codes.ts';

let server: StubServer;
let cli: ReturnType<typeof newCli>;
let refusal: Error;

beforeEach(async () => {
  server = new StubServer((router) =>
    router.service(MessageService, {
      read: async () => {
        throw refusal;
      },
    }),
  );
  cli = newCli(server.folder, { server: await server.listen(), secret: 'aw1_secret' });
});

afterEach(() => server[Symbol.asyncDispose]());

test.each([
  ['page_size is 101; the limit is 100 items', 'page_size', '--page-size'],
  ['give either agent_name or inbox_id', 'agent_name', '--agent, --inbox'],
  ['the cursor is damaged; start again with 0', 'after', '--after'],
])('a refusal about a field names the option that gives it: %s', async (sentence, subject, options) => {
  refusal = refusing(Reason.BAD_FIELD, sentence, { subject });
  const { err } = await cli(['messages', 'read', '--agent', 'bob']);
  expect(err).toContain(`agentworks: ${sentence} (${options})`);
  const printed = (await cli(['messages', 'read', '--agent', 'bob', '--json'])).err;
  expect(JSON.parse(printed)).toMatchObject({ sentence, subject });
});

test('a refusal about what there is names no option', async () => {
  refusal = refusing(Reason.NOT_FOUND, 'no agent is called bobb', { subject: 'agent_name' });
  expect((await cli(['messages', 'read', '--agent', 'bobb'])).err).not.toContain('--agent');
});

test('a command is said as it is typed by whoever came by npx, as in a clone', async () => {
  const env = { AGENTWORKS_CONFIG: `${server.folder}/none.json`, AGENTWORKS_DATA: '/nowhere', npm_command: 'exec' };
  expect((await cli(['agents', 'list'], { env })).err).toContain('Sign in with: npx agentworks login');
  expect((await cli(['messages', 'receipts'], { env })).err).toContain('See: npx agentworks messages receipts --help');
  expect((await cli(['doctor'], { env })).out).toContain('npx agentworks server');
  expect((await cli(['agents', 'list'], { env: { ...env, npm_command: '' } })).err).not.toContain('npx');
});

test('a send that found nobody to connect to says that nothing was sent', async () => {
  const away = newCli(server.folder, { server: 'http://127.0.0.1:1', plaintext: true, secret: 'aw1_secret' });
  const { code, err } = await away(['messages', 'send', '--target', 'agent:bob', '--message', 'x'], {
    isTerminal: true,
  });
  expect(code).toBe(exitCodes.UNAVAILABLE);
  expect(err).toContain('Nothing was sent.');
  expect(err).not.toContain('not known');
});
