import { once } from 'node:events';
import { type ClientHttp2Session, connect, type IncomingHttpHeaders } from 'node:http2';
import { create, toBinary } from '@bufbuild/protobuf';
import { findTrailerError } from '@connectrpc/connect/protocol-grpc';
import { expect, test } from 'vitest';
import { ProblemSchema } from '#gen/agentworks/common/v1/problem_pb.ts';
import { ReadRequestSchema, SendRequestSchema } from '#gen/agentworks/messages/v1/messages_pb.ts';
import { rpc } from '../../test/doors/rpc.ts';
import { inWorld } from '../../test/world/world.ts';

const SERVICE = '/agentworks.messages.v1.MessageService';

function framed(bytes: Uint8Array, flag = 0, length = bytes.length): Buffer {
  const frame = Buffer.alloc(5 + bytes.length);
  frame[0] = flag;
  frame.writeUInt32BE(length, 1);
  frame.set(bytes, 5);
  return frame;
}

interface Answer {
  readonly status: number | undefined;
  readonly type: string | undefined;
  readonly grpcStatus: string | undefined;
  readonly problem: object | undefined;
  readonly hasRequestId: boolean;
  readonly bytes: number;
}

/** A fault is named by the id of its call. */
const unnamed = (text: string) => text.replace(/[0-9a-f]{12}-\w+/, 'ID');

async function call(
  session: ClientHttp2Session,
  path: string,
  body: Buffer,
  extra: Record<string, string>,
): Promise<Answer> {
  const stream = session.request({
    ':method': 'POST',
    ':path': path,
    'content-type': 'application/grpc',
    te: 'trailers',
    ...extra,
  });
  let headers: IncomingHttpHeaders = {};
  let bytes = 0;
  stream.on('response', (said) => (headers = { ...headers, ...said }));
  stream.on('trailers', (said) => (headers = { ...headers, ...said }));
  stream.on('data', (chunk: Buffer) => (bytes += chunk.length));
  stream.end(body);
  await once(stream, 'close');
  const words = Object.entries(headers).filter(([name]) => !name.startsWith(':')) as [string, string][];
  const error = findTrailerError(new Headers(words));
  const problem = error?.findDetails(ProblemSchema)[0];
  return {
    status: headers[':status'] as unknown as number,
    type: headers['content-type'],
    grpcStatus: headers['grpc-status']?.toString(),
    problem: problem && { ...problem, subject: unnamed(problem.subject), sentence: unnamed(problem.sentence) },
    hasRequestId: headers['x-request-id'] !== undefined,
    bytes,
  };
}

test('CON-6 a call answered by the short way is answered as Connect would answer it, whatever is asked', () =>
  inWorld(async (world) => {
    await world.agent('bob');
    const person = await world.person();
    const { secret } = person;
    await rpc.as(person).agents.register({ agentName: 'alice' });
    const send = (input: object) => framed(toBinary(SendRequestSchema, create(SendRequestSchema, input)));
    const hello = { target: 'agent:bob', body: 'hello', submissionId: 'one' };
    const cases: Record<string, [path: string, body: Buffer, headers?: Record<string, string>]> = {
      'a send': [`${SERVICE}/Send`, send(hello)],
      'a wrong name': [`${SERVICE}/Send`, send({ ...hello, target: 'agent:bop' })],
      'other content': [`${SERVICE}/Send`, send({ ...hello, body: 'other' })],
      'a bad field': [`${SERVICE}/Send`, send({ ...hello, body: '' })],
      'a body that is too large': [`${SERVICE}/Send`, send({ ...hello, body: 'x'.repeat(300_000) })],
      'a request that is too large': [`${SERVICE}/Send`, send({ ...hello, body: 'x'.repeat(5_000_000) })],
      nobody: [`${SERVICE}/Send`, send(hello), { authorization: '' }],
      'a wrong secret': [`${SERVICE}/Send`, send(hello), { authorization: 'Bearer nonsense' }],
      'bytes that are no message': [`${SERVICE}/Send`, framed(Buffer.from([0xff, 0xff, 0xff]))],
      'text that is not UTF-8': [`${SERVICE}/Send`, framed(Buffer.from([0x1a, 2, 0xc3, 0x28]))],
      'no message': [`${SERVICE}/Send`, Buffer.alloc(0)],
      'flags that mean nothing': [`${SERVICE}/Send`, framed(Buffer.from([0x1a, 1, 0x61]), 0xff)],
      'a deadline no timer holds': [
        `${SERVICE}/Send`,
        send(hello),
        { authorization: `Bearer ${secret}`, 'grpc-timeout': '597H' },
      ],
      'half a message': [`${SERVICE}/Send`, framed(Buffer.from([1]), 0, 9)],
      'two messages': [`${SERVICE}/Send`, Buffer.concat([send(hello), send(hello)])],
      'a compressed message': [`${SERVICE}/Send`, framed(Buffer.from([1, 2, 3]), 1)],
      'a deadline': [`${SERVICE}/Send`, send(hello), { authorization: `Bearer ${secret}`, 'grpc-timeout': '5000m' }],
      'a deadline that cannot be read': [`${SERVICE}/Send`, send(hello), { 'grpc-timeout': 'soon' }],
      'a deadline that passes while it waits': [
        `${SERVICE}/Read`,
        framed(toBinary(ReadRequestSchema, create(ReadRequestSchema, { agentName: 'alice', waitSeconds: 20 }))),
        { authorization: `Bearer ${secret}`, 'grpc-timeout': '50m' },
      ],
      'a read of nobody': [
        `${SERVICE}/Read`,
        framed(toBinary(ReadRequestSchema, create(ReadRequestSchema, { agentName: 'nobody' }))),
      ],
    };
    const session = connect(world.url);
    for (const [what, [path, body, headers = { authorization: `Bearer ${secret}` }]] of Object.entries(cases)) {
      const answer = await call(session, path, body, headers);
      // What comes from a web page is left to Connect.
      const asConnect = await call(session, path, body, { ...headers, origin: world.url });
      expect({ what, ...answer }).toEqual({ what, ...asConnect });
    }
    session.close();
    await once(session, 'close');
  }));
