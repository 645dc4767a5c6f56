import type { JsonObject } from '@bufbuild/protobuf';
import { Code, ConnectError, type ConnectRouter, type HandlerContext } from '@connectrpc/connect';
import { expect, test } from 'vitest';
import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import { MessageService } from '#gen/agentworks/messages/v1/messages_pb.ts';
import { refusing, StubServer } from '../../test/world/stub-server.ts';
import { connect, Refusal } from './index.ts';
import { refusalOf } from './refusal.ts';

const asked = async (attempt: Promise<unknown>): Promise<Refusal> => {
  const error = await attempt.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof Refusal) return error;
  throw new Error('was not refused', { cause: error });
};

const sending = (send: (request: { body: string }, context: HandlerContext) => object) => (router: ConnectRouter) =>
  router.service(MessageService, { send: async (request, context) => send(request, context) });

test('a call over a Unix socket carries the bearer secret', async () => {
  let seen: string | null = '';
  await using server = new StubServer(
    sending((_request, { requestHeader }) => {
      seen = requestHeader.get('authorization');
      return { messageId: 'msg_1' };
    }),
  );
  const client = connect({ address: await server.listen(), secret: 'aw1_secret' });
  expect((await client.messages.send({ body: 'hello' })).messageId).toBe('msg_1');
  expect(seen).toBe('Bearer aw1_secret');
  client.close();
});

test('ACC-1b no credential goes to a plaintext port unless that is asked for by name', async () => {
  let calls = 0;
  await using server = new StubServer(
    sending(() => {
      calls += 1;
      return {};
    }),
  );
  const address = await server.listenOnPort();
  expect(() => connect({ address, secret: 'aw1_secret' })).toThrow(/plaintext/);
  expect(calls).toBe(0);
  const client = connect({ address, secret: 'aw1_secret', plaintext: true });
  await client.messages.send({ body: 'hello' });
  expect(calls).toBe(1);
  client.close();
});

test('an address that is none is refused with the forms there are', () => {
  expect(() => connect({ address: 'localhost:7717' })).toThrow(/unix:\/path/);
  expect(() => connect({ address: 'unix:relative' })).toThrow(/unix:\/path/);
});

test('a refusal comes with its reason, subject, bound, sentence and suggestions', async () => {
  await using server = new StubServer(
    sending(() => {
      throw refusing(Reason.LIMIT_EXCEEDED, 'too long; use a file', { subject: 'body', bound: 262_144n });
    }),
  );
  const client = connect({ address: await server.listen() });
  expect(await asked(client.messages.send({ body: 'x' }))).toMatchObject({
    reason: 'LIMIT_EXCEEDED',
    subject: 'body',
    bound: 262_144,
    sentence: 'too long; use a file',
    suggestions: ['bob'],
  });
  client.close();
});

test('a reason of a newer server falls back to the status code', async () => {
  await using server = new StubServer(
    sending(() => {
      throw refusing(999 as Reason, 'a reason of tomorrow');
    }),
  );
  const client = connect({ address: await server.listen() });
  expect(await asked(client.messages.send({ body: 'x' }))).toMatchObject({
    reason: 'MALFORMED',
    sentence: 'a reason of tomorrow',
  });
  client.close();
});

test('an answer without a detail gets the reason of its status code', async () => {
  await using server = new StubServer(
    sending(() => {
      throw new ConnectError('request is too large', Code.ResourceExhausted);
    }),
  );
  const client = connect({ address: await server.listen() });
  expect((await asked(client.messages.send({ body: 'x' }))).reason).toBe('LIMIT_EXCEEDED');
  expect((await asked(client.agents.list({}))).reason).toBe('UNKNOWN_RPC');
  client.close();
});

test('half of a character is refused before anything is sent', async () => {
  let calls = 0;
  await using server = new StubServer(
    sending(() => {
      calls += 1;
      return {};
    }),
  );
  const client = connect({ address: await server.listen() });
  expect(await asked(client.messages.send({ body: 'a\ud83d' }))).toMatchObject({
    reason: 'BAD_FIELD',
    subject: 'body',
  });
  const nested = client.messages.send({ body: 'a', metadata: { deep: ['fine', 'b\ude00'] } });
  expect(await asked(nested)).toMatchObject({ reason: 'BAD_FIELD', subject: 'metadata.deep[1]' });
  expect(await asked(client.messages.send({ submissionId: '\ud800' }))).toMatchObject({ subject: 'submission_id' });
  expect(calls).toBe(0);
  await client.messages.send({ body: 'whole: 😀' });
  expect(calls).toBe(1);
  client.close();
});

test('a secret that no header could carry is refused when it is given, and never shown', () => {
  for (const secret of ['aw1_a\nb', 'a b', '', 5 as never])
    expect(() => connect({ address: 'unix:/nowhere/s', secret })).toThrow(/secret is not one of ours/);
  const told = refusalOf(new TypeError('Headers.set: "Bearer aw1_a b" is an invalid header value.'));
  expect(`${told.stack} ${String(told.cause)}`).not.toContain('aw1_a');
});

const nested = (levels: number): JsonObject => (levels === 1 ? {} : { a: nested(levels - 1) });

test('metadata that is too deep, or holds itself, is refused before it is written down', async () => {
  await using server = new StubServer(sending(() => ({})));
  const client = connect({ address: await server.listen() });
  const circle: JsonObject = {};
  circle['a'] = [circle];
  await client.send({ body: 'x', metadata: nested(16) });
  for (const metadata of [nested(17), nested(5_000), circle])
    expect(await asked(client.send({ body: 'x', metadata }))).toMatchObject({
      reason: 'LIMIT_EXCEEDED',
      subject: 'metadata',
      bound: 16,
    });
  client.close();
});

test('what types forbid is a refusal by the name of the field, in every way of sending', async () => {
  await using server = new StubServer(sending(() => ({})));
  const client = connect({ address: await server.listen() });
  using link = client.openLink();
  const wrong = { body: 5 } as never;
  for (const call of [client.send(wrong), client.messages.send(wrong), link.submit(wrong, undefined)])
    expect(await asked(call)).toMatchObject({ reason: 'BAD_FIELD', subject: 'body' });
  expect((await asked(client.send(null as never))).reason).toBe('BAD_FIELD');
  client.close();
});

test('a server that is not there is unavailable, and the sentence says how to start it', async () => {
  const client = connect({ address: 'unix:/nowhere/s' });
  const refusal = await asked(client.messages.send({ body: 'x' }));
  expect(refusal).toMatchObject({ reason: 'UNAVAILABLE', isUnsent: true });
  expect(refusal.sentence).toContain('unix:/nowhere/s');
  expect(refusal.sentence).toContain('agentworks server');
  client.close();
});

test('a connection that breaks under a call is unavailable', async () => {
  const arrived = Promise.withResolvers<void>();
  await using server = new StubServer((router) =>
    router.service(MessageService, {
      send: async () => {
        arrived.resolve();
        return new Promise<never>(() => {});
      },
    }),
  );
  const client = connect({ address: await server.listen() });
  const call = asked(client.messages.send({ body: 'x' }));
  await arrived.promise;
  server.cut();
  expect(await call).toMatchObject({ reason: 'UNAVAILABLE', isUnsent: false });
  client.close();
});

test('a call that the caller gives up is canceled, and one that takes too long has exceeded its deadline', async () => {
  await using server = new StubServer((router) =>
    router.service(MessageService, { send: async () => new Promise<never>(() => {}) }),
  );
  const client = connect({ address: await server.listen() });
  const leaving = new AbortController();
  const call = asked(client.messages.send({ body: 'x' }, { signal: leaving.signal }));
  leaving.abort();
  expect((await call).reason).toBe('CANCELED');
  expect((await asked(client.messages.send({ body: 'x' }, { timeoutMs: 20 }))).reason).toBe('DEADLINE_EXCEEDED');
  client.close();
});

test.each([100_000_000, 2 ** 31, Number.MAX_SAFE_INTEGER])(
  'a call that may take %d ms is answered',
  async (timeoutMs) => {
    await using server = new StubServer(sending(() => ({ messageId: 'msg_1' })));
    const client = connect({ address: await server.listen() });
    expect((await client.messages.send({ body: 'x' }, { timeoutMs })).messageId).toBe('msg_1');
    client.close();
  },
);

test('a refusal is a ConnectError to those who know only that', () => {
  const refusal = new Refusal('NOT_FOUND', 'no agent is called zed');
  expect(ConnectError.from(refusal)).toBe(refusal);
  expect(refusal).toBeInstanceOf(Refusal);
  expect(new ConnectError('other')).not.toBeInstanceOf(Refusal);
});
