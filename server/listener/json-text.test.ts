import { Code, ConnectError } from '@connectrpc/connect';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ProblemSchema, Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import { limits } from '../core/limits.ts';
import { JsonText } from './json-text.ts';

const text = new JsonText();
const decode = (json: string): string => text.decode(Buffer.from(json));

function refusal(json: string) {
  try {
    decode(json);
  } catch (error) {
    const { code, details } = ConnectError.from(error);
    const detail = details[0] as { desc: unknown; value: { reason: Reason; subject: string; bound: bigint } };
    const { reason, subject, bound } = detail.value;
    return { code, isProblem: detail.desc === ProblemSchema, reason, subject, bound: Number(bound) };
  }
  throw new Error('was accepted');
}

const LISTS = limits.requestElements.max;
const exceeded = { code: Code.ResourceExhausted, isProblem: true };
const tooMany = { ...exceeded, reason: Reason.LIMIT_EXCEEDED, subject: 'request', bound: LISTS };
const tooDeep = { ...exceeded, reason: Reason.LIMIT_EXCEEDED, subject: 'request', bound: limits.requestDepth.max };

const nulls = (count: number) => `[${'null,'.repeat(count)}1]`;
const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;

test('any JSON comes out as it went in', () =>
  fc.assert(
    fc.property(fc.json({ maxDepth: 8 }), (json) => {
      expect(decode(json)).toBe(json);
    }),
  ));

test('a request that spells more values than the bound is refused before it is read', () => {
  decode(nulls(LISTS - 1));
  expect(refusal(nulls(LISTS))).toEqual(tooMany);
  expect(refusal(`{${'"a":1,'.repeat(LISTS / 2)}"b":1}`)).toEqual(tooMany);
  expect(refusal('[]'.repeat(LISTS + 1))).toEqual(tooMany);
});

test('what stands in a string counts for nothing, however it ends', () => {
  decode(JSON.stringify(',:[{'.repeat(LISTS)));
  decode(`["${'\\\\'.repeat(3)}","${'\\"['.repeat(LISTS)}"]`);
  decode(`"${'['.repeat(LISTS)}`);
});

test('a request nested deeper than the bound is refused', () => {
  const { max } = limits.requestDepth;
  decode(nested(max));
  decode(`[${'[],'.repeat(max * 2)}1]`);
  expect(refusal(nested(max + 1))).toEqual(tooDeep);
  expect(refusal('['.repeat(100_000))).toEqual(tooDeep);
});

test('bytes that are not UTF-8 are refused', () => {
  expect(() => text.decode(Buffer.from('"\xFF"', 'latin1'))).toThrow('encoded data was not valid');
});
