import { Code } from '@connectrpc/connect';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import { signIn } from './calls.ts';
import { type Protocol, rawCall } from './raw-call.ts';
import { cleanUp, type Served, start } from './server-process.ts';

const SEND = '/agentworks.messages.v1.MessageService/Send';
const WATCH = '/agentworks.messages.v1.MessageService/WatchMailbox';

let server: Served;
let secret = '';
beforeAll(async () => {
  server = await start();
  secret = await signIn(server.url, server.data);
});
afterAll(cleanUp);

const malformed = (subject = 'request') => ({
  code: Code.InvalidArgument,
  reason: Reason.MALFORMED,
  subject,
  bound: 0,
});

/** Whatever cannot be read is refused the same way by every protocol: before any of our code sees it. */
describe.each<Protocol>(['connect', 'grpc', 'grpc-web'])('%s', (protocol) => {
  const refused = async (call: { path?: string; encoding?: 'json' | 'proto'; body: Uint8Array | string }) =>
    (await rawCall(server.url, { protocol, path: SEND, ...call, headers: { authorization: `Bearer ${secret}` } }))
      .refusal;

  test('a request over 4 MiB is refused with the bound', async () => {
    const body = JSON.stringify({ target: 'agent:bob', body: 'x'.repeat(4 * 1024 * 1024) });
    expect(await refused({ body })).toEqual({
      code: Code.ResourceExhausted,
      reason: Reason.LIMIT_EXCEEDED,
      subject: 'request',
      bound: 4_194_304,
    });
  });

  test('a field that is misspelt is named, with the one that was meant', async () => {
    const headers = { authorization: `Bearer ${secret}` };
    const call = { protocol, path: SEND, body: '{"submision_id":"1"}', headers } as const;
    const { refusal, sentence } = await rawCall(server.url, call);
    expect(refusal).toEqual(malformed('submision_id'));
    expect(sentence).toBe('SendRequest has no field "submision_id"; did you mean submission_id?');
  });

  test('a value of another type is named', async () => {
    expect(await refused({ body: '{"noWake":"perhaps"}' })).toEqual(malformed('no_wake'));
  });

  test.each([
    ['cut JSON', '{"body":"a secret pl'],
    ['no JSON', 'hello'],
    ['bytes that are not UTF-8', Buffer.from('{"body":"\xFF"}', 'latin1')],
  ])('%s is malformed, and not repeated', async (_what, body) => {
    const headers = { authorization: `Bearer ${secret}` };
    const answer = await rawCall(server.url, { protocol, path: SEND, body, headers });
    expect(answer.refusal).toMatchObject({ code: Code.InvalidArgument, reason: Reason.MALFORMED });
    expect(answer.sentence).not.toContain('secret');
  });

  test('JSON nested without end is refused with the bound', async () => {
    expect(await refused({ body: `{"metadata":{"a":${'['.repeat(100_000)}` })).toEqual({
      code: Code.ResourceExhausted,
      reason: Reason.LIMIT_EXCEEDED,
      subject: 'request',
      bound: 32,
    });
  });

  test.each([
    ['bytes that are no message', Buffer.from([0x0a, 0xff, 0xff])],
    ['a string that is not UTF-8', Buffer.from([0x1a, 0x02, 0xc3, 0x28])],
  ])('%s are malformed', async (_what, body) => {
    expect(await refused({ encoding: 'proto', body })).toEqual(malformed());
  });

  test('an RPC that does not exist is named, with the one that was meant', async () => {
    const path = '/agentworks.messages.v1.MessageService/Sent';
    const answer = await rawCall(server.url, { protocol, path, body: '{}' });
    expect(answer.refusal).toEqual({ code: Code.Unimplemented, reason: Reason.UNKNOWN_RPC, subject: path, bound: 0 });
    expect(answer.sentence).toContain('did you mean Send?');
  });

  test.each(['', '\\u0000', '\\ud800'])('a body of "%s" is refused by name', async (body) => {
    expect(await refused({ body: `{"target":"agent:bob","body":"${body}"}` })).toEqual({
      code: Code.InvalidArgument,
      reason: Reason.BAD_FIELD,
      subject: 'body',
      bound: 0,
    });
  });

  test.each([
    [{ ':authority': 'evil.example' }, 'host'],
    [{ origin: 'https://evil.example' }, 'origin'],
    [{ origin: 'null' }, 'origin'],
  ])('a request with %j is foreign', async (headers, subject) => {
    const body = '{"target":"agent:bob","body":"x"}';
    const answer = await rawCall(server.url, { protocol, path: SEND, body, headers });
    expect(answer.refusal).toEqual({ code: Code.PermissionDenied, reason: Reason.FOREIGN_REQUEST, subject, bound: 0 });
    expect(answer.status).toBe(protocol === 'connect' ? 403 : 200);
  });
});

describe('a stream of Connect', () => {
  test.each([
    ['{"agentNam":"bob"}', { reason: Reason.MALFORMED, subject: 'agentNam', code: Code.InvalidArgument }],
    ['{', { reason: Reason.MALFORMED, subject: 'request', code: Code.InvalidArgument }],
    [
      `"${'x'.repeat(4 * 1024 * 1024)}"`,
      { reason: Reason.LIMIT_EXCEEDED, bound: 4_194_304, code: Code.ResourceExhausted },
    ],
  ])('that begins with %.20s is refused in its last frame', async (body, expected) => {
    const headers = { authorization: `Bearer ${secret}` };
    const answer = await rawCall(server.url, { protocol: 'connect-stream', path: WATCH, body, headers });
    expect(answer.refusal).toMatchObject(expected);
  });

  test('is foreign from a foreign page', async () => {
    const headers = { origin: 'https://evil.example' };
    const answer = await rawCall(server.url, { protocol: 'connect-stream', path: WATCH, body: '{}', headers });
    expect(answer.refusal).toMatchObject({ reason: Reason.FOREIGN_REQUEST, subject: 'origin' });
  });
});
