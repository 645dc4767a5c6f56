import { Code, ConnectError, createClient, createRouterTransport } from '@connectrpc/connect';
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { ProblemSchema, Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import { Health } from '#gen/grpc/health/v1/health_pb.ts';
import { Problem } from '../core/problem.ts';
import { answer, codes } from './answer.ts';
import { problems, refusals } from './problems.ts';

const drained = new AbortController();

/** A server whose every call fails in the same way, and what it logs. */
function failing(error: unknown, draining = new AbortController().signal) {
  const lines: Record<string, unknown>[] = [];
  const log = pino(
    { level: 'debug', messageKey: 'event' },
    { write: (line) => lines.push(JSON.parse(line) as object as never) },
  );
  const transport = createRouterTransport(
    ({ service }) =>
      service(Health, {
        check: () => {
          throw error;
        },
        async *watch() {
          yield { status: 1 };
          throw error;
        },
      }),
    { router: { interceptors: [problems({ log, draining })] } },
  );
  return { client: createClient(Health, transport), lines };
}

async function refusal(call: () => Promise<unknown>) {
  const error = ConnectError.from(
    await call().then(
      () => 'it was answered',
      (failure: unknown) => failure,
    ),
  );
  return { code: error.code, problem: error.findDetails(ProblemSchema)[0], message: error.rawMessage };
}

async function read(messages: AsyncIterable<unknown>): Promise<number> {
  let count = 0;
  for await (const _ of messages) count++;
  return count;
}

test('a refusal has its code, and everything of it in the detail', async () => {
  const about = { subject: 'target', bound: 5, suggestions: ['bob'] };
  const { client } = failing(new Problem(Reason.NOT_FOUND, 'no agent is called "bbo"; did you mean bob?', about));
  const { code, problem, message } = await refusal(() => client.check({}));
  expect(code).toBe(Code.NotFound);
  expect(problem).toMatchObject({ reason: Reason.NOT_FOUND, subject: 'target', bound: 5n, suggestions: ['bob'] });
  expect(problem?.sentence).toBe(message);
});

test('a stream that fails after its first item is refused like any call', async () => {
  const { client } = failing(new Problem(Reason.LEASE_ENDED, 'moved'));
  const { code, problem } = await refusal(() => read(client.watch({})));
  expect(code).toBe(Code.FailedPrecondition);
  expect(problem?.reason).toBe(Reason.LEASE_ENDED);
});

test('a fault of ours is logged with its stack, and answered without a word of it', async () => {
  const { client, lines } = failing(new TypeError('cannot read body of "a secret"'));
  const { code, problem, message } = await refusal(() => client.check({}));
  expect(code).toBe(Code.Internal);
  expect(problem?.reason).toBe(Reason.INTERNAL);
  expect(message).not.toContain('secret');
  expect(lines).toEqual([
    expect.objectContaining({
      event: 'rpc.bug',
      requestId: problem?.subject,
      err: expect.objectContaining({ stack: expect.stringContaining('problems.test.ts') as string }) as object,
    }),
  ]);
});

const coded = (code: string, message = 'x') => Object.assign(new Error(message), { code });

describe('the database', () => {
  test.each([
    coded('57P01', 'terminating connection due to administrator command'),
    coded('57P03', 'the database system is starting up'),
    coded('08006'),
    coded('53300', 'too many clients'),
    coded('ECONNREFUSED'),
    coded('ECONNRESET'),
    coded('ENOENT', 'connect ENOENT /data/postgres/.s.PGSQL.5432'),
    new Error('Connection terminated unexpectedly'),
    new Error('Client has encountered a connection error and is not queryable'),
    new Error('wrapped', { cause: coded('57P02') }),
  ])('being away is not a fault of ours: %s', async (error) => {
    const { client, lines } = failing(error);
    const { code, problem } = await refusal(() => client.check({}));
    expect(code).toBe(Code.Unavailable);
    expect(problem?.reason).toBe(Reason.UNAVAILABLE);
    expect(lines.map(({ event }) => event)).toEqual(['rpc.refused']);
  });

  test.each([coded('53100'), coded('ENOSPC'), coded('58030', 'could not write: No space left on device')])(
    'being full is said: %s',
    async (error) => {
      const { problem } = await refusal(() => failing(error).client.check({}));
      expect(problem?.reason).toBe(Reason.STORAGE_FULL);
    },
  );

  test.each([coded('23505', 'duplicate key'), coded('42P01', 'no such table'), coded('ENOENT', 'open /x')])(
    'refusing what we asked is a fault of ours: %s',
    async (error) => {
      const { problem } = await refusal(() => failing(error).client.check({}));
      expect(problem?.reason).toBe(Reason.INTERNAL);
    },
  );
});

describe('a server that stops', () => {
  drained.abort();

  test('takes no call', async () => {
    const { problem } = await refusal(() => failing(undefined, drained.signal).client.check({}));
    expect(problem?.reason).toBe(Reason.UNAVAILABLE);
  });

  test('says so to streams, however they end', async () => {
    const draining = new AbortController();
    const { client } = failing(new Error('aborted'), draining.signal);
    const stream = client.watch({})[Symbol.asyncIterator]();
    await stream.next();
    draining.abort();
    const { problem } = await refusal(() => stream.next());
    expect(problem?.reason).toBe(Reason.UNAVAILABLE);
  });
});

test('a sentence that quotes what it was sent fits a header and a terminal', () => {
  const { rawMessage, details } = answer(
    new Problem(Reason.BAD_FIELD, `\u001B]0;title\u0007${'x'.repeat(100_000)}`, { subject: 'a\uD800' }),
  );
  expect(rawMessage).toHaveLength(1_000);
  expect(rawMessage).toMatch(/^�\]0;title�x/);
  expect((details[0] as unknown as { value: { subject: string } }).value.subject).toBe('a\uFFFD');
});

test('what fails inside a stream is told in the same words', () => {
  const log = pino({ level: 'silent' });
  expect(refusals(log)(new Problem(Reason.SELF_SEND, 'to itself', { subject: 'target' }), 'Link')).toEqual({
    reason: Reason.SELF_SEND,
    subject: 'target',
    bound: 0n,
    sentence: 'to itself',
    suggestions: [],
  });
  expect(refusals(log)(new Error('oh'), 'Link').reason).toBe(Reason.INTERNAL);
});

test('every reason but the unspecified one has a code that is not Unknown', () => {
  const { UNSPECIFIED, ...rest } = codes;
  expect(UNSPECIFIED).toBe(Code.Unknown);
  expect(Object.values(rest)).not.toContain(Code.Unknown);
});
