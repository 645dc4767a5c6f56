import {
  type Client,
  ConnectError,
  createClient,
  createContextValues,
  createRouterTransport,
  type HandlerContext,
} from '@connectrpc/connect';
import { beforeEach, expect, test } from 'vitest';
import { AccessService } from '#gen/agentworks/access/v1/access_pb.ts';
import { AgentService } from '#gen/agentworks/agents/v1/agents_pb.ts';
import { ProblemSchema, Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import { MessageService } from '#gen/agentworks/messages/v1/messages_pb.ts';
import { Health } from '#gen/grpc/health/v1/health_pb.ts';
import type { Known } from '../access/callers.ts';
import { endSignal, known } from '../access/known.ts';
import { Endings } from '../core/endings.ts';
import { newLog } from '../core/log.ts';
import { Problem } from '../core/problem.ts';
import { callerInterceptor } from './caller.ts';
import { problems } from './problems.ts';

const signed = { accountId: 'acc_1', connectionId: 'con_1', targets: null };
const callers: Record<string, Known> = {
  person: { kind: 'person', ...signed },
  program: { kind: 'connection', ...signed, scopes: ['messages:read'] },
  child: { kind: 'child', ...signed, agentId: 'agt_1', agentName: 'alice' },
};

let endings: Endings;
let isCurrent: boolean;
let letGo: number;
let noted: string[];
/** What the handlers of a test do; each test sets what it needs. */
let handle: (context: HandlerContext) => Promise<void>;
let push: (context: HandlerContext) => AsyncGenerator<void>;

beforeEach(() => {
  endings = new Endings();
  isCurrent = true;
  letGo = 0;
  noted = [];
  handle = () => Promise.resolve();
  push = async function* () {};
});

const refusals = {
  note: ({ connectionId }: Known, rpc: string, error: unknown) =>
    void noted.push(`${connectionId} ${rpc}: ${(error as Error).message}`),
};

const transport = createRouterTransport(
  (router) => {
    router.service(AccessService, {
      whoAmI: async (_request, context) => {
        await handle(context);
        return { connectionId: known(context).connectionId };
      },
      revokeConnection: async (_request, context) => {
        await handle(context);
        return { revokedConnectionIds: ['con_1'] };
      },
    });
    router.service(AgentService, { register: () => ({}) });
    router.service(MessageService, {
      async *watchMailbox(_request, context) {
        for await (const _ of push(context)) yield {};
      },
    });
    router.service(Health, { check: () => ({}) });
  },
  {
    router: {
      interceptors: [
        problems({ log: newLog('silent'), draining: new AbortController().signal }),
        callerInterceptor({ callers: { enter }, isCurrent: () => isCurrent, refusals }),
      ],
    },
  },
);

function enter(secret: string) {
  const caller = callers[secret];
  if (caller === undefined) return Promise.resolve(undefined);
  const right = endings.hold('con_1', 'con_parent');
  const release = right[Symbol.dispose].bind(right);
  right[Symbol.dispose] = () => {
    letGo++;
    release();
  };
  return Promise.resolve({ caller, right });
}

const access: Client<typeof AccessService> = createClient(AccessService, transport);
const agents = createClient(AgentService, transport);
const messages = createClient(MessageService, transport);
const as = (secret: string) => ({ headers: { authorization: `Bearer ${secret}` } });

async function reasonOf(attempt: Promise<unknown>): Promise<Reason | undefined> {
  const error = await attempt.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return ConnectError.from(error).findDetails(ProblemSchema)[0]?.reason;
}

const revoke = () => endings.end({ id: 'con_1', cause: 'revoked' });

test('a handler is told who calls', async () => {
  expect((await access.whoAmI({}, as('person'))).connectionId).toBe('con_1');
  expect(letGo).toBe(1);
});

test.each([
  ['no header', {}],
  ['a secret that is nobody’s', as('wrong')],
  ['another scheme', { headers: { authorization: 'Basic person' } }],
])('%s is nobody', async (_, options) => {
  expect(await reasonOf(access.whoAmI({}, options))).toBe(Reason.SIGNED_OUT);
});

test('whom the table refuses does not reach the verb, and is told who may', async () => {
  const attempt = agents.register({ agentName: 'alice' }, as('child'));
  await expect(attempt).rejects.toThrow(
    "an attached agent's connection may not call Register; a signed-in person or a service connection may",
  );
  expect(await reasonOf(attempt)).toBe(Reason.NOT_ALLOWED);
  expect(letGo).toBe(1);
});

test('a program is let in by its scope, and told which one it lacks', async () => {
  const attempt = agents.register({ agentName: 'alice' }, as('program'));
  await expect(attempt).rejects.toThrow('Register takes the scope agents:register, which connection con_1 has not');
  expect(await reasonOf(attempt)).toBe(Reason.SCOPE_MISSING);
  push = async function* () {
    yield;
  };
  for await (const page of messages.watchMailbox({}, as('program'))) expect(page.messages).toEqual([]);
});

test('what fails is noted with who called, before the verb, in it and in its stream; nobody’s call is not', async () => {
  await reasonOf(agents.register({ agentName: 'alice' }, as('child')));
  handle = () => Promise.reject(new Problem(Reason.NOT_ALLOWED, 'not this one', {}));
  await reasonOf(access.whoAmI({}, as('person')));
  await reasonOf(access.whoAmI({}, {}));
  push = async function* () {
    yield;
    throw new Problem(Reason.NOT_ALLOWED, 'no longer', {});
  };
  await reasonOf(
    (async () => {
      for await (const _ of messages.watchMailbox({}, as('person')));
    })(),
  );
  expect(noted.map((line) => line.split(',')[0])).toEqual([
    "con_1 Register: an attached agent's connection may not call Register; a signed-in person or a service connection may",
    'con_1 WhoAmI: not this one',
    'con_1 WatchMailbox: no longer',
  ]);
});

test('health answers nobody too', async () => {
  await createClient(Health, transport).check({});
  expect(letGo).toBe(0);
});

test.each(['con_1', 'con_parent'])('what ends while a call runs ends the call: %s', async (id) => {
  handle = () => Promise.resolve(endings.end({ id, cause: 'revoked' }));
  expect(await reasonOf(access.whoAmI({}, as('person')))).toBe(Reason.SIGNED_OUT);
  expect(letGo).toBe(1);
});

test('a failure that comes of an ended right is told as the end of the right', async () => {
  handle = async () => {
    revoke();
    throw new Error('the statement found no live connection');
  };
  expect(await reasonOf(access.whoAmI({}, as('person')))).toBe(Reason.SIGNED_OUT);
});

test('who revokes their own connection is told that it is revoked', async () => {
  handle = () => Promise.resolve(revoke());
  expect((await access.revokeConnection({}, as('person'))).revokedConnectionIds).toEqual(['con_1']);
});

test('a call that waits stops waiting when its right ends', async () => {
  handle = async (context) => {
    const ends = endSignal(context);
    setImmediate(revoke);
    await new Promise((done) => ends.addEventListener('abort', done));
  };
  expect(await reasonOf(access.whoAmI({}, as('person')))).toBe(Reason.SIGNED_OUT);
});

test('a stream releases nothing after its right ended', async () => {
  push = async function* () {
    yield;
    revoke();
    yield;
  };
  const seen: unknown[] = [];
  const reading = (async () => {
    for await (const item of messages.watchMailbox({}, as('person'))) seen.push(item);
  })();
  expect(await reasonOf(reading)).toBe(Reason.SIGNED_OUT);
  expect(seen).toHaveLength(1);
  expect(letGo).toBeGreaterThan(0);
});

test('a stream that waits ends at once with its right', async () => {
  push = async function* (context) {
    yield;
    const ends = endSignal(context);
    setImmediate(revoke);
    await new Promise((done) => ends.addEventListener('abort', done));
  };
  const reading = (async () => {
    for await (const _ of messages.watchMailbox({}, as('person')));
  })();
  expect(await reasonOf(reading)).toBe(Reason.SIGNED_OUT);
});

test('the right is let go when the caller leaves a stream', async () => {
  const leaving = new AbortController();
  push = async function* (context) {
    yield;
    await new Promise((done) => endSignal(context).addEventListener('abort', done));
  };
  const reading = (async () => {
    for await (const _ of messages.watchMailbox({}, { ...as('person'), signal: leaving.signal })) leaving.abort();
  })();
  await expect(reading).rejects.toThrow('aborted');
  await expect.poll(() => letGo).toBeGreaterThan(0);
});

test('nothing passes once the right was let go', async () => {
  const leaving = new AbortController();
  let released = 0;
  const interceptor = callerInterceptor({ callers: { enter }, isCurrent: () => true, refusals });
  const items = async function* () {
    for (; released < 5; released++) yield {};
  };
  const request = {
    stream: true,
    service: MessageService,
    method: MessageService.method.watchMailbox,
    header: new Headers({ authorization: 'Bearer person' }),
    contextValues: createContextValues(),
    signal: leaving.signal,
    message: items(),
  };
  const answer = { stream: true, message: items() };
  const response = await interceptor(() => Promise.resolve(answer as never))(request as never);
  const stream = (response.message as AsyncIterable<object>)[Symbol.asyncIterator]();
  expect((await stream.next()).done).toBe(false);
  leaving.abort();
  expect(letGo).toBe(1);
  expect((await stream.next()).done).toBe(true);
});

test('a node that is out of touch answers nobody, until it is back', async () => {
  isCurrent = false;
  expect(await reasonOf(access.whoAmI({}, as('person')))).toBe(Reason.UNAVAILABLE);
  isCurrent = true;
  handle = () => Promise.resolve(void (isCurrent = false));
  expect(await reasonOf(access.whoAmI({}, as('person')))).toBe(Reason.UNAVAILABLE);
  isCurrent = true;
  handle = () => Promise.resolve();
  await access.whoAmI({}, as('person'));
});
