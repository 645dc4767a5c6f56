import { Code, ConnectError, createClient } from '@connectrpc/connect';
import { createConnectTransport, createGrpcTransport } from '@connectrpc/connect-node';
import { afterEach, expect, test } from 'vitest';
import { AgentService } from '#gen/agentworks/agents/v1/agents_pb.ts';
import { ProblemSchema, Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import { MessageService } from '#gen/agentworks/messages/v1/messages_pb.ts';
import { signIn } from './calls.ts';
import { begin, cleanUp, newFolder, postgresOf, start, until } from './server-process.ts';

afterEach(cleanUp);

test.each([
  ['gRPC', (baseUrl: string) => createGrpcTransport({ baseUrl })],
  ['Connect over HTTP/1.1', (baseUrl: string) => createConnectTransport({ baseUrl, httpVersion: '1.1' })],
])(
  'a server that is told to stop ends streams of %s with “come back”, and waits for nobody',
  async (_name, transportTo) => {
    const server = await start();
    const headers = { authorization: `Bearer ${await signIn(server.url, server.data)}` };
    const transport = transportTo(server.url);
    const messages = createClient(MessageService, transport);
    await createClient(AgentService, transport).register({ agentName: 'bob' }, { headers });

    const stream = messages.watchMailbox({ agentName: 'bob' }, { headers })[Symbol.asyncIterator]();
    expect((await stream.next()).done).toBe(false);
    const waiting = messages.read({ agentName: 'bob', waitSeconds: 25 }, { headers });
    const rest = stream.next().catch((error: unknown) => error);
    // Only once the server has both may it be told to stop: it answers in the order of asking.
    await messages.read({ agentName: 'bob' }, { headers });

    const began = Date.now();
    const stopped = server.kill();
    const ended = ConnectError.from(await rest);
    expect(ended.code).toBe(Code.Unavailable);
    expect(ended.findDetails(ProblemSchema)[0]?.reason).toBe(Reason.UNAVAILABLE);
    expect((await waiting).messages).toEqual([]);
    expect(await stopped).toBe(0);
    expect(Date.now() - began).toBeLessThan(20_000);
  },
);

test('two signals stop it at once, and the next start goes on from there', async () => {
  const server = await start();
  void server.kill('SIGTERM');
  await server.kill('SIGINT');
  const next = await start({ data: server.data });
  expect(await next.kill()).toBe(0);
});

test('a start that is interrupted leaves nothing running', async () => {
  const data = newFolder();
  const interrupted = begin({ data });
  await until(() => postgresOf(data) !== undefined, 'PostgreSQL runs');
  expect(await interrupted.kill()).toBe(0);
  await interrupted.outcome;
  expect(postgresOf(data)).toBeUndefined();
});
