import { create, type DescMessage, type Message, type MessageInitShape } from '@bufbuild/protobuf';
import { describe, expect, test } from 'vitest';
import {
  AttachOrigin,
  AttachRequestSchema,
  ClaimOfferRequestSchema,
} from '#gen/agentworks/agents/v1/attachments_pb.ts';
import { RegisterRequestSchema } from '#gen/agentworks/agents/v1/agents_pb.ts';
import { LinkRequestSchema } from '#gen/agentworks/bridge/v1/bridge_pb.ts';
import { CreateConnectionRequestSchema } from '#gen/agentworks/access/v1/access_pb.ts';
import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import { ReadRequestSchema, SendRequestSchema } from '#gen/agentworks/messages/v1/messages_pb.ts';
import { services } from '../access/table.ts';
import { Problem } from './problem.ts';
import { check, isRuled } from './request-fields.ts';

function refusal(message: Message): Pick<Problem, 'reason' | 'subject' | 'bound'> | undefined {
  try {
    check(message);
    return undefined;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const { reason, subject, bound } = error;
    return { reason, subject, bound };
  }
}

const bad = (subject: string) => ({ reason: Reason.BAD_FIELD, subject, bound: 0 });
const over = (subject: string, bound: number) => ({ reason: Reason.LIMIT_EXCEEDED, subject, bound });

const send = (init: MessageInitShape<typeof SendRequestSchema>) =>
  refusal(create(SendRequestSchema, { target: 'agent:bob', body: 'hello', ...init }));

test('every message that a request can hold has rules', () => {
  const seen = new Set<DescMessage>();
  const walk = (desc: DescMessage): void => {
    if (seen.has(desc) || desc.typeName.startsWith('google.')) return;
    seen.add(desc);
    for (const field of desc.fields) if (field.message !== undefined) walk(field.message);
  };
  for (const service of Object.values(services)) for (const method of service.methods) walk(method.input);
  expect(seen.size).toBeGreaterThan(35);
  expect([...seen].map((desc) => desc.typeName).filter((name) => !isRuled(name))).toEqual([]);
});

describe('a body', () => {
  test('of exactly 256 KiB is taken, in bytes and not in letters', () => {
    expect(send({ body: 'x'.repeat(262_144) })).toBeUndefined();
    expect(send({ body: 'é'.repeat(131_072) })).toBeUndefined();
    expect(send({ body: 'x'.repeat(262_145) })).toEqual(over('body', 262_144));
    expect(send({ body: 'é'.repeat(131_073) })).toEqual(over('body', 262_144));
  });

  test('is text: not empty, without NUL, without half a character', () => {
    expect(send({ body: '' })).toEqual(bad('body'));
    expect(send({ body: 'a\0b' })).toEqual(bad('body'));
    expect(send({ body: 'a\uD800' })).toEqual(bad('body'));
    expect(send({ body: '\u001B[31m </channel> 👩‍👩‍👧 \r\n' })).toBeUndefined();
  });
});

const nested = (levels: number): Record<string, never> =>
  JSON.parse('{"a":'.repeat(levels - 1) + '{}' + '}'.repeat(levels - 1)) as Record<string, never>;

describe('metadata', () => {
  test('is at most 16 levels deep, lists too', () => {
    expect(send({ metadata: nested(16) })).toBeUndefined();
    expect(send({ metadata: nested(17) })).toEqual(over('metadata', 16));
    expect(send({ metadata: { a: JSON.parse('['.repeat(50_000) + ']'.repeat(50_000)) } })).toEqual(
      over('metadata', 16),
    );
  });

  test('has at most 16 KiB as JSON', () => {
    expect(send({ metadata: { a: 'x'.repeat(16_376) } })).toBeUndefined();
    expect(send({ metadata: { a: 'x'.repeat(16_377) } })).toEqual(over('metadata', 16_384));
  });

  test('holds what the database can keep, in keys as in values', () => {
    expect(send({ metadata: { 'a\0': 1 } })).toEqual(bad('metadata'));
    expect(send({ metadata: { a: ['\0'] } })).toEqual(bad('metadata'));
    expect(send({ metadata: { a: '\uDC00' } })).toEqual(bad('metadata'));
    expect(send({ metadata: { a: Number.NaN } })).toEqual(bad('metadata'));
  });
});

test.each([
  [{ submissionId: 'x'.repeat(128) }, undefined],
  [{ submissionId: 'x'.repeat(129) }, over('submission_id', 128)],
  [{ submissionId: 'schön' }, bad('submission_id')],
  [{ contentType: 'text/html' }, bad('content_type')],
  [{ contentType: 'application/json' }, undefined],
  [{ agentName: 'x'.repeat(65) }, over('agent_name', 64)],
  [{ target: 'agent:\n' }, bad('target')],
  [{ inReplyTo: "' or 1=1" }, bad('in_reply_to')],
  [{ inReplyTo: 'x'.repeat(65) }, over('in_reply_to', 64)],
  [{ attachmentId: 'att\0' }, bad('attachment_id')],
])('send %j', (init, expected) => {
  expect(send(init)).toEqual(expected);
});

test.each([
  [{ pageSize: 100, waitSeconds: 25 }, undefined],
  [{ pageSize: 101 }, over('page_size', 100)],
  [{ pageSize: -1 }, bad('page_size')],
  [{ waitSeconds: 26 }, over('wait_seconds', 25)],
])('read %j', (init, expected) => {
  expect(refusal(create(ReadRequestSchema, init))).toEqual(expected);
});

test('letters are counted as people count them', () => {
  expect(refusal(create(CreateConnectionRequestSchema, { label: '🙂'.repeat(64) }))).toBeUndefined();
  expect(refusal(create(CreateConnectionRequestSchema, { label: '🙂'.repeat(65) }))).toEqual(over('label', 64));
});

test('a list is bounded, and its entries are named by their place', () => {
  const allowed = (values: string[]) =>
    refusal(create(RegisterRequestSchema, { agentName: 'bob', allowedConnectionIds: { values } }));
  expect(allowed(Array.from({ length: 20 }, () => 'con_1'))).toBeUndefined();
  expect(allowed(Array.from({ length: 21 }, () => 'con_1'))).toEqual(over('allowed_connection_ids.values', 20));
  expect(allowed(['con_1', ''])).toEqual(bad('allowed_connection_ids.values[1]'));
  const claim = { attachmentId: 'att_1', route: 'stop-hook', messageIds: Array.from({ length: 101 }, () => 'msg_1') };
  expect(refusal(create(ClaimOfferRequestSchema, claim))).toEqual(over('message_ids', 100));
});

const attach = (origin: AttachOrigin) =>
  refusal(create(AttachRequestSchema, { agentName: 'bob', provider: 'claude', sessionId: 's', origin }));

test('an enum is one of the values this server knows', () => {
  expect(attach(AttachOrigin.TERMINAL)).toBeUndefined();
  expect(attach(0)).toEqual(bad('origin'));
  expect(attach(9 as AttachOrigin)).toEqual(bad('origin'));
});

test('a frame of a link is judged inside, but what has an answer of its own is left to that', () => {
  const hello = create(LinkRequestSchema, { frame: { case: 'hello', value: { computer: 'x'.repeat(65) } } });
  expect(refusal(hello)).toEqual(over('hello.computer', 64));
  const evidence = [{ attachmentId: 'att_1' }, { attachmentId: '' }];
  expect(refusal(create(LinkRequestSchema, { frame: { case: 'evidence', value: { evidence } } }))).toEqual(
    bad('evidence.evidence[1].attachment_id'),
  );
  const submissions = [{ tag: 1n, request: { body: '' } }];
  expect(
    refusal(create(LinkRequestSchema, { frame: { case: 'submissions', value: { submissions } } })),
  ).toBeUndefined();
});
