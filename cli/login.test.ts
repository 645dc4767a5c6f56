import { lstatSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ConnectRouter } from '@connectrpc/connect';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { AccessService } from '#gen/agentworks/access/v1/access_pb.ts';
import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import { readSignIn } from '../bridge/account/config.ts';
import { newCli } from '../test/world/cli-run.ts';
import { refusing, StubServer } from '../test/world/stub-server.ts';
import { exitCodes } from './exit-codes.ts';

let server: StubServer;
let cli: ReturnType<typeof newCli>;
let file: string;
let logins: number;
let revoked: string[];
let isRevoked: boolean;

const routes = (router: ConnectRouter) =>
  router.service(AccessService, {
    login: async ({ loginKey, accountName, label }) => {
      if (loginKey !== 'the key') throw refusing(Reason.NOT_ALLOWED, 'not the key');
      expect(label).not.toBe('');
      logins += 1;
      isRevoked = false;
      return { connectionId: `con_${logins}`, secret: `aw1_${logins}`, accountName: accountName || 'local' };
    },
    whoAmI: async (_request, { requestHeader }) => {
      if (isRevoked) throw refusing(Reason.SIGNED_OUT, 'revoked');
      expect(requestHeader.get('authorization')).toBe(`Bearer aw1_${logins}`);
      return { accountName: 'local', connectionId: `con_${logins}`, kind: 1 };
    },
    revokeConnection: async ({ connectionId }) => {
      revoked.push(connectionId);
      return { revokedConnectionIds: [connectionId] };
    },
  });

beforeEach(async () => {
  logins = 0;
  revoked = [];
  isRevoked = false;
  server = new StubServer(routes);
  await server.listen();
  cli = newCli(server.folder);
  file = join(server.folder, 'config', 'config.json');
  const data = join(server.folder, 'data');
  mkdirSync(data, { mode: 0o700 });
  const announced = { version: '0.1.0', pid: 1, epoch: 'epo_1', url: 'http://127.0.0.1:1', socket: server.socket };
  writeFileSync(join(data, 'server.json'), JSON.stringify(announced), { mode: 0o600 });
  writeFileSync(join(data, 'login-key'), 'the key\n', { mode: 0o600 });
});

afterEach(() => server[Symbol.asyncDispose]());

test('ACC-1 one step signs in, says who and where the secret lies, and prints no secret', async () => {
  const { code, out, err } = await cli(['login']);
  expect(code).toBe(0);
  expect(out).toContain('connection\tcon_1');
  expect(out).toContain('secret\tin the config file, which only you can read');
  expect(err).toContain('messages register --agent NAME');
  expect(out + err).not.toContain('aw1_1');
  expect(readSignIn(file)).toMatchObject({
    server: 'local',
    data: join(server.folder, 'data'),
    epoch: 'epo_1',
    secret: 'aw1_1',
  });
  expect(lstatSync(file).mode & 0o777).toBe(0o600);
});

test('a config that cannot be written is refused before the server makes a connection', async () => {
  writeFileSync(join(server.folder, 'plain'), '');
  const { code, err } = await cli(['login', '--config', join(server.folder, 'plain', 'c.json')]);
  expect(code).toBe(exitCodes.NOT_ALLOWED);
  expect(err).toContain('cannot be written (EEXIST)');
  expect(logins).toBe(0);
});

test('signing in again makes no second connection', async () => {
  await cli(['login']);
  const again = await cli(['login']);
  expect(again).toMatchObject({ code: 0, err: 'You were signed in already.\n' });
  expect(logins).toBe(1);
});

test('a sign-in that was revoked is renewed', async () => {
  await cli(['login']);
  isRevoked = true;
  expect((await cli(['login'])).code).toBe(0);
  expect(readSignIn(file)?.connectionId).toBe('con_2');
});

test('a config is not silently taken from one account, or from one server, to another', async () => {
  await cli(['login']);
  const other = await cli(['login', '--account', 'shop']);
  expect(other.code).toBe(exitCodes.NOT_ALLOWED);
  expect(other.err).toContain('signed in to local');
  const env = { AGENTWORKS_CONFIG: file, AGENTWORKS_DATA: '/elsewhere', AGENTWORKS_KEYRING: 'off' };
  expect((await cli(['login'], { env })).err).toContain(`signed in to ${join(server.folder, 'data')}`);
  expect(logins).toBe(1);
});

test('ACC-9a AGENTWORKS_DATA does not send the secret to another server', async () => {
  await cli(['login']);
  const env = { AGENTWORKS_CONFIG: file, AGENTWORKS_DATA: '/elsewhere', AGENTWORKS_KEYRING: 'off' };
  expect((await cli(['help', 'context'], { env })).out).toContain(`server\tunix:${server.socket}`);
});

test('logout revokes the connection and forgets the secret', async () => {
  await cli(['login']);
  expect(await cli(['logout'])).toMatchObject({ code: 0, out: 'con_1\n' });
  expect(revoked).toEqual(['con_1']);
  expect(readSignIn(file)).toBeUndefined();
});

test('logout keeps a sign-in whose server cannot be asked, unless it is told to forget', async () => {
  await cli(['login']);
  await server.stop();
  expect((await cli(['logout'])).code).toBe(exitCodes.UNAVAILABLE);
  expect(readSignIn(file)).toBeDefined();
  expect((await cli(['logout', '--forget'])).code).toBe(0);
  expect(readSignIn(file)).toBeUndefined();
});
