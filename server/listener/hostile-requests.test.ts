import { once } from 'node:events';
import * as http2 from 'node:http2';
import { gzipSync } from 'node:zlib';
import { create, toBinary } from '@bufbuild/protobuf';
import { Code, ConnectError, createClient } from '@connectrpc/connect';
import { createConnectTransport, createGrpcTransport } from '@connectrpc/connect-node';
import { encodeEnvelope } from '@connectrpc/connect/protocol';
import { findTrailerError } from '@connectrpc/connect/protocol-grpc';
import { expect, test } from 'vitest';
import { ProblemSchema, Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import { MessageService, SendRequestSchema } from '#gen/agentworks/messages/v1/messages_pb.ts';
import { type Protocol, rawCall } from '../../test/e2e/raw-call.ts';
import { inWorld, type World } from '../../test/world/world.ts';
import { limits } from '../core/limits.ts';

const SEND = '/agentworks.messages.v1.MessageService/Send';
const WATCH = '/agentworks.messages.v1.MessageService/WatchMailbox';
const plain: Protocol[] = ['connect', 'grpc', 'grpc-web'];

const bearerOf = async (world: World) => {
  const { secret } = await world.agent('alice');
  return { authorization: `Bearer ${secret}` };
};

test.each([
  ['application/json', SEND],
  ['application/grpc', SEND],
  ['application/grpc+json', SEND],
  ['application/grpc-web+proto', SEND],
  ['application/connect+json', WATCH],
])('ACC-1c nobody is refused before their body is read: %s', (type, path) =>
  inWorld(async (world) => {
    const session = http2.connect(world.url);
    for (const headers of [{}, { authorization: 'Bearer nonsense' }]) {
      // A body that never ends: whoever waits for it does not answer.
      const stream = session
        .request({ ':method': 'POST', ':path': path, 'content-type': type, ...headers })
        .on('error', () => {});
      stream.write('{');
      let trailers = {};
      stream.on('trailers', (got) => (trailers = got));
      const [response] = (await once(stream, 'response')) as [http2.IncomingHttpHeaders];
      let body = '';
      stream.on('data', (chunk: Buffer) => (body += chunk.toString('latin1')));
      await once(stream, 'close');
      const status = response[':status'] as unknown as number;
      expect(status).toBe(type === 'application/json' ? 401 : 200);
      const said = `${JSON.stringify({ ...response, ...trailers })} ${body}`;
      expect(said).toMatch(/"grpc-status":"16"|grpc-status: 16|unauthenticated/);
    }
    session.close();
  }),
);

test('CON-6d a request that spells too many values is refused by name at every protocol', () =>
  inWorld(async (world) => {
    const headers = await bearerOf(world);
    const body = `{"target":"agent:bob","body":"x","metadata":{"a":[${'{},'.repeat(1_300_000)}1]}}`;
    for (const protocol of plain) {
      const { refusal } = await rawCall(world.url, { protocol, path: SEND, body, headers });
      expect(refusal).toEqual({
        code: Code.ResourceExhausted,
        reason: Reason.LIMIT_EXCEEDED,
        subject: 'request',
        bound: limits.requestElements.max,
      });
    }
  }));

test('CON-6b metadata that is nested too deeply is refused by a bound, however deep it is and however it is written', () =>
  inWorld(async (world) => {
    const headers = await bearerOf(world);
    for (const depth of [17, 40, 99, 120, 5_000]) {
      const metadata = `{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;
      const json = `{"target":"agent:bob","body":"x","metadata":${metadata}}`;
      const binary =
        depth > 1_000
          ? undefined
          : toBinary(
              SendRequestSchema,
              create(SendRequestSchema, { target: 'agent:bob', body: 'x', metadata: JSON.parse(metadata) as never }),
            );
      for (const protocol of plain)
        for (const [encoding, body] of [
          ['json', json],
          ['proto', binary],
        ] as const) {
          if (body === undefined) continue;
          const { refusal } = await rawCall(world.url, { protocol, encoding, path: SEND, body, headers });
          const named = [
            { reason: Reason.LIMIT_EXCEEDED, subject: 'metadata', bound: 16 },
            { reason: Reason.LIMIT_EXCEEDED, subject: 'request', bound: limits.requestDepth.max },
          ];
          expect({
            depth,
            protocol,
            encoding,
            named: named.find(({ subject }) => subject === refusal?.subject),
          }).toEqual({
            depth,
            protocol,
            encoding,
            named: expect.objectContaining({ reason: refusal?.reason, bound: refusal?.bound }),
          });
        }
    }
  }));

test.each(['not gzip', 'cut off'])('a compressed body that is %s is malformed', (what) =>
  inWorld(async (world) => {
    const headers = { ...(await bearerOf(world)), 'content-encoding': 'gzip' };
    const whole = gzipSync('{"target":"agent:bob","body":"x"}');
    const body = what === 'cut off' ? whole.subarray(0, whole.length - 12) : Buffer.from('plain');
    const { refusal } = await rawCall(world.url, { protocol: 'connect', path: SEND, body, headers });
    expect(refusal).toMatchObject({ code: Code.InvalidArgument, reason: Reason.MALFORMED, subject: 'request' });
  }),
);

test('a frame with flags that mean nothing is malformed', () =>
  inWorld(async (world) => {
    const headers = await bearerOf(world);
    const bytes = toBinary(SendRequestSchema, create(SendRequestSchema, { target: 'agent:bob', body: 'x' }));
    for (const [type, flag] of [0xff, 0x81].flatMap((each) =>
      ['application/grpc', 'application/grpc-web+proto'].map((name) => [name, each] as const),
    )) {
      const answer = await framed(world.url, type, headers, encodeEnvelope(flag, bytes));
      expect({ type, flag, answer }).toMatchObject({
        answer: { code: Code.InvalidArgument, reason: Reason.MALFORMED },
      });
    }
  }));

test.each([
  ['gRPC', createGrpcTransport],
  ['Connect', createConnectTransport],
])('a deadline that no timer holds is none, and one that passes is told: %s', (name, open) =>
  inWorld(async (world) => {
    const headers = await bearerOf(world);
    const transport = open({ baseUrl: world.url, httpVersion: '2' } as never);
    const client = createClient(MessageService, transport);
    const timeout = name === 'gRPC' ? 'grpc-timeout' : 'connect-timeout-ms';
    const watch = async (value: string, signal?: AbortSignal) => {
      for await (const _ of client.watchMailbox(
        { agentName: 'alice' },
        { headers: { ...headers, [timeout]: value }, ...(signal && { signal }) },
      ));
    };
    const passed = await watch(name === 'gRPC' ? '50m' : '50').then(
      () => 'ended well',
      (error: unknown) => ConnectError.from(error),
    );
    expect(passed).toMatchObject({ code: Code.DeadlineExceeded });
    expect((passed as ConnectError).findDetails(ProblemSchema)[0]?.reason).toBe(Reason.DEADLINE_EXCEEDED);
    const leaving = new AbortController();
    const endless = watch(name === 'gRPC' ? '597H' : '9999999999', leaving.signal).then(
      () => 'ended well',
      (error: unknown) => ConnectError.from(error).code,
    );
    // A second call that has a deadline, and ends by it, is later than a timer that fires at once.
    await watch(name === 'gRPC' ? '50m' : '50').catch(() => {});
    leaving.abort();
    expect(await endless).toBe(Code.Canceled);
  }),
);

async function framed(url: string, type: string, headers: Record<string, string>, body: Uint8Array) {
  const session = http2.connect(url);
  const stream = session.request({
    ':method': 'POST',
    ':path': SEND,
    'content-type': type,
    te: 'trailers',
    ...headers,
  });
  let said = '';
  const add = (got: http2.IncomingHttpHeaders) =>
    (said += Object.entries(got)
      .map(([key, value]) => `${key}: ${String(value)}\r\n`)
      .join(''));
  stream.on('response', add).on('trailers', add);
  stream.on('data', (chunk: Buffer) => (said += chunk.toString('latin1')));
  stream.end(body);
  await once(stream, 'close');
  session.close();
  const status = Number(/grpc-status: (\d+)/.exec(said)?.[1]);
  const details = /grpc-status-details-bin: (\S+)/.exec(said)?.[1] ?? '';
  const error = findTrailerError(new Headers({ 'grpc-status': String(status), 'grpc-status-details-bin': details }));
  return { code: error?.code, reason: error?.findDetails(ProblemSchema)[0]?.reason };
}
