import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { fromBinary, toBinary, create } from '@bufbuild/protobuf';
import { Code, ConnectError, createClient, type Transport } from '@connectrpc/connect';
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from '@connectrpc/connect-node';
import * as web from '@connectrpc/connect-web';
import * as grpc from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AccessService } from '#gen/agentworks/access/v1/access_pb.ts';
import { ProblemSchema, Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import { MessageService, SendRequestSchema, SendResponseSchema } from '#gen/agentworks/messages/v1/messages_pb.ts';
import { Health, HealthCheckResponse_ServingStatus as Status } from '#gen/grpc/health/v1/health_pb.ts';
import { signIn } from './calls.ts';
import { cleanUp, type Served, start } from './server-process.ts';

const run = promisify(execFile);
const buf = (...args: string[]) => run('node_modules/.bin/buf', ['curl', '--http2-prior-knowledge', ...args]);
const SEND = '/agentworks.messages.v1.MessageService/Send';

let server: Served;
let secret = '';
let transports: Record<string, Transport> = {};

beforeAll(async () => {
  server = await start();
  const { url: baseUrl } = server;
  const socketPath = join(server.data, 'server.sock');
  transports = {
    'Connect over HTTP/1.1': createConnectTransport({ baseUrl, httpVersion: '1.1', useBinaryFormat: false }),
    'Connect over HTTP/2': createConnectTransport({ baseUrl, httpVersion: '2' }),
    'gRPC over HTTP/2': createGrpcTransport({ baseUrl }),
    'gRPC-Web over HTTP/1.1': createGrpcWebTransport({ baseUrl, httpVersion: '1.1' }),
    'Connect by fetch': web.createConnectTransport({ baseUrl }),
    'gRPC-Web by fetch': web.createGrpcWebTransport({ baseUrl }),
    'Connect over the private socket': createConnectTransport({
      baseUrl: 'http://localhost',
      httpVersion: '1.1',
      nodeOptions: { socketPath },
    }),
    'gRPC over the private socket': createGrpcTransport({
      baseUrl: 'http://localhost',
      nodeOptions: { path: socketPath },
    }),
  };
  secret = await signIn(server.url, server.data);
});
afterAll(cleanUp);

const names = [
  'Connect over HTTP/1.1',
  'Connect over HTTP/2',
  'gRPC over HTTP/2',
  'gRPC-Web over HTTP/1.1',
  'Connect by fetch',
  'gRPC-Web by fetch',
  'Connect over the private socket',
  'gRPC over the private socket',
];

describe.each(names)('%s', (name) => {
  test('OPS-1c answers, and refuses with its reason', async () => {
    const who = await createClient(AccessService, transports[name]!).whoAmI(
      {},
      { headers: { authorization: `Bearer ${secret}` } },
    );
    expect(who.accountName).toBe('local');
    const refused: unknown = await createClient(AccessService, transports[name]!)
      .whoAmI({})
      .catch((error: unknown) => error);
    const [problem] = ConnectError.from(refused).findDetails(ProblemSchema);
    expect(ConnectError.from(refused).code).toBe(Code.Unauthenticated);
    expect(problem).toMatchObject({ reason: Reason.SIGNED_OUT, sentence: ConnectError.from(refused).rawMessage });
  });

  test('streams', async () => {
    const seen: Status[] = [];
    for await (const { status } of createClient(Health, transports[name]!).watch({})) {
      seen.push(status);
      break;
    }
    expect(seen).toEqual([Status.SERVING]);
  });

  test('says in health that a service is unknown', async () => {
    const refused: unknown = await createClient(Health, transports[name]!)
      .check({ service: 'x' })
      .catch((error: unknown) => error);
    expect(ConnectError.from(refused).code).toBe(Code.NotFound);
  });
});

describe('other people’s clients', () => {
  test('grpc-js calls, and reads the reason and an unspoilt sentence', async () => {
    const Client = grpc.makeGenericClientConstructor(
      {
        send: {
          path: SEND,
          requestStream: false,
          responseStream: false,
          requestSerialize: (value: { body: string }) =>
            Buffer.from(toBinary(SendRequestSchema, create(SendRequestSchema, { target: 'agent:nobody', ...value }))),
          requestDeserialize: (bytes: Buffer) => fromBinary(SendRequestSchema, bytes),
          responseSerialize: (value) => Buffer.from(toBinary(SendResponseSchema, value as never)),
          responseDeserialize: (bytes: Buffer) => fromBinary(SendResponseSchema, bytes),
        },
      },
      'MessageService',
    );
    const client = new Client(server.url.replace('http://', ''), grpc.credentials.createInsecure());
    const metadata = new grpc.Metadata();
    metadata.set('authorization', `Bearer ${secret}`);
    const error = await new Promise<grpc.ServiceError>((done, failed) => {
      const callback = (refused: grpc.ServiceError | null) =>
        refused === null ? failed(new Error('it was sent')) : done(refused);
      (client['send'] as unknown as (value: object, metadata: grpc.Metadata, callback: unknown) => void)(
        { body: 'x' },
        metadata,
        callback,
      );
    });
    client.close();
    expect(error.code).toBe(grpc.status.NOT_FOUND);
    const [bytes] = error.metadata.get('grpc-status-details-bin') as Buffer[];
    expect(bytes!.toString('latin1')).toContain('agentworks.common.v1.Problem');
    expect(bytes!.toString()).toContain('nobody');
  });

  test('OPS-2b buf curl needs no schema', async () => {
    const listed = await buf('--list-services', server.url);
    expect(listed.stdout).toContain(MessageService.typeName);
    expect(listed.stdout).toContain('grpc.reflection.v1.ServerReflection');
    for (const protocol of ['connect', 'grpc', 'grpcweb']) {
      const answer = await buf('--protocol', protocol, '-d', '{}', `${server.url}/grpc.health.v1.Health/Check`);
      expect(JSON.parse(answer.stdout)).toEqual({ status: 'SERVING' });
    }
    const authorization = `authorization: Bearer ${secret}`;
    const who = await buf(
      '--protocol',
      'grpc',
      '-H',
      authorization,
      `${server.url}/agentworks.access.v1.AccessService/WhoAmI`,
    );
    expect(JSON.parse(who.stdout)).toMatchObject({ accountName: 'local' });
  });

  test('curl speaks both versions of HTTP, and the private socket', async () => {
    const check = ['-s', '--json', '{}', '-w', ' %{http_version}'];
    const path = '/grpc.health.v1.Health/Check';
    expect((await run('curl', [...check, server.url + path])).stdout).toBe('{"status":"SERVING"} 1.1');
    expect((await run('curl', [...check, '--http2-prior-knowledge', server.url + path])).stdout).toBe(
      '{"status":"SERVING"} 2',
    );
    const socket = ['--unix-socket', join(server.data, 'server.sock')];
    expect((await run('curl', [...check, ...socket, `http://localhost${path}`])).stdout).toBe(
      '{"status":"SERVING"} 1.1',
    );
  });
});
