import type { JsonObject, JsonValue } from '@bufbuild/protobuf';
import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import { type Limit, limits } from './limits.ts';
import { Problem } from './problem.ts';

/** Refuses a value, or does nothing. `path` is the field's, as `submissions[3].request.body`. */
export type Rule<T> = (value: T, path: string) => void;

const bad = (path: string, what: string): Problem =>
  new Problem(Reason.BAD_FIELD, `${path} ${what}`, { subject: path });

const over = (path: string, size: number, { max, unit }: Limit, advice = ''): Problem =>
  new Problem(Reason.LIMIT_EXCEEDED, `${path} has ${size} ${unit}; the limit is ${max}${advice && `. ${advice}`}`, {
    subject: path,
    bound: max,
  });

/** No rule of form: its own reader knows better, or nothing in it can do harm. */
export const free: Rule<unknown> = () => {};

/** What the database can keep and JSON can say, of any length. */
export const text: Rule<string> = (value, path) => {
  if (value.includes('\0')) throw bad(path, 'holds a NUL character, which no text may');
  if (!value.isWellFormed()) throw bad(path, 'holds half of a surrogate pair, which is not text');
};

const present: Rule<string> = (value, path) => {
  if (value === '') throw bad(path, 'is empty');
};

/** Text in one line of at most so many characters, counted as a person counts them. */
const line =
  (limit: Limit): Rule<string> =>
  (value, path) => {
    text(value, path);
    // A string has at least as many units as characters, so that counting is for the few that are long.
    const size = value.length <= limit.max ? 0 : Array.from(value).length;
    if (size > limit.max) throw over(path, size, limit);
    if (/\p{Cc}/u.test(value)) throw bad(path, 'holds a control character; it is one line of text');
  };

const both =
  <T>(...rules: readonly Rule<T>[]): Rule<T> =>
  (value, path) => {
    for (const rule of rules) rule(value, path);
  };

export const optionalLine = line;
export const requiredLine = (limit: Limit): Rule<string> => both(present, line(limit));
export const absentOr =
  <T>(rule: Rule<T>): Rule<T | undefined> =>
  (value, path) => {
    if (value !== undefined) rule(value, path);
  };

/** Text that comes back exactly as sent, so that only its size is anybody's business. */
export const body: Rule<string> = both(present, text, (value, path) => {
  const size = value.length <= limits.bodyBytes.max / 3 ? 0 : Buffer.byteLength(value);
  if (size > limits.bodyBytes.max)
    throw over(path, size, limits.bodyBytes, 'Put large content in a file and send its path');
});

export const bytes =
  (limit: Limit): Rule<string> =>
  (value, path) => {
    text(value, path);
    const size = Buffer.byteLength(value);
    if (size > limit.max) throw over(path, size, limit);
  };

/** An id of ours: whether it exists is for whoever looks it up. */
export const optionalId: Rule<string> = (value, path) => {
  if (value.length > limits.idCharacters.max) throw over(path, value.length, limits.idCharacters);
  if (!/^[\w.-]*$/.test(value)) throw bad(path, 'is not an id');
};
export const requiredId: Rule<string> = both(present, optionalId);

export const submissionId: Rule<string> = (value, path) => {
  const limit = limits.submissionIdCharacters;
  if (value.length > limit.max) throw over(path, value.length, limit);
  if (!/^[\x20-\x7E]*$/.test(value)) throw bad(path, 'may hold printable ASCII characters only');
};

export const oneOf =
  (...words: readonly string[]): Rule<string> =>
  (value, path) => {
    if (!words.includes(value)) throw bad(path, `must be one of ${words.filter((word) => word !== '').join(', ')}`);
  };

/** One of the values an enum has, other than the unspecified one. */
export const specified =
  (values: object): Rule<number> =>
  (value, path) => {
    if (value === 0 || !Object.values(values).includes(value))
      throw bad(path, value === 0 ? 'is not said' : `is ${value}, which this server does not know`);
  };

/** 0 up to a bound. */
export const upTo =
  (limit: Limit): Rule<number | bigint> =>
  (value, path) => {
    if (value < 0) throw bad(path, 'is negative');
    if (value > limit.max)
      throw new Problem(Reason.LIMIT_EXCEEDED, `${path} is ${value}; the limit is ${limit.max} ${limit.unit}`, {
        subject: path,
        bound: limit.max,
      });
  };

export const each =
  <T>(limit: Limit, rule: Rule<T>): Rule<readonly T[]> =>
  (values, path) => {
    if (values.length > limit.max) throw over(path, values.length, limit);
    for (const [i, value] of values.entries()) rule(value, `${path}[${i}]`);
  };

/** JSON that any reader can take: shallow, small, and text that the database can keep. */
export const metadata: Rule<JsonObject | undefined> = (value, path) => {
  if (value === undefined) return;
  const { metadataDepth, metadataBytes } = limits;
  // A list of what is left to see, since what is to be refused for its depth must not be walked by recursion.
  const left: [value: JsonValue, depth: number][] = [[value, 1]];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const [item, depth] = next;
    if (typeof item === 'string') text(item, path);
    if (typeof item === 'number' && !Number.isFinite(item)) throw bad(path, 'holds a number that JSON has no word for');
    if (typeof item !== 'object' || item === null) continue;
    if (depth > metadataDepth.max) throw over(path, depth, metadataDepth);
    if (!Array.isArray(item)) for (const key of Object.keys(item)) text(key, path);
    for (const inner of Object.values(item)) left.push([inner, depth + 1]);
  }
  const size = Buffer.byteLength(JSON.stringify(value));
  if (size > metadataBytes.max) throw over(path, size, metadataBytes);
};
