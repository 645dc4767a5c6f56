import type { DescMethod } from '@bufbuild/protobuf';
import { Code, ConnectError, createClient, type Transport } from '@connectrpc/connect';
import { createGrpcTransport, Http2SessionManager } from '@connectrpc/connect-node';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ProblemSchema, Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import type { Caller } from '../../../server/access/callers.ts';
import { isScope, scopes } from '../../../server/access/scopes.ts';
import { cellOf, kinds, type Rpc, services, table } from '../../../server/access/table.ts';
import { rpc as rpcDoor } from '../../doors/rpc.ts';
import { attached } from '../../world/attached.ts';
import { newWorld, type World } from '../../world/world.ts';

/** What makes a request one's own; everything else is left empty, since the table is asked before the fields are. */
type Inputs = Readonly<Partial<Record<Rpc, object>>>;

interface Outcome {
  readonly code?: Code;
  readonly reason?: Reason | undefined;
  readonly subject?: string | undefined;
  readonly answer?: object;
}

let world: World;
let loginKey: string;
const transports = {} as Record<Caller['kind'], Transport>;
/** Of connections that have one scope. */
const scopedTransports: Record<string, Transport> = {};
const sessions: Http2SessionManager[] = [];
/** Somebody else's things, as the child of `alice` sees them. */
let foreign: Inputs;

beforeAll(async () => {
  world = await newWorld();
  loginKey = readFileSync(join(world.data, 'login-key'), 'utf8').trim();
  const person = await world.person();
  const alice = await attached(person, 'alice');
  const bob = await attached(person, 'bob');
  const secrets = {
    nobody: undefined,
    person: person.secret,
    connection: (await world.program('program')).secret,
    child: alice.child.secret,
  };
  for (const kind of kinds) transports[kind] = transportOf(secrets[kind]);
  for (const scope of scopes) {
    const made = await rpcDoor.as(person).access.createConnection({ label: scope, scopes: [scope] });
    scopedTransports[scope] = transportOf(made.secret);
  }
  await rpcDoor.as(person).messages.send({ target: 'agent:bob', body: 'a word for bob' });
  const his = { attachmentId: bob.attachmentId };
  const ids = { messageIds: ['msg_1'] };
  foreign = {
    'messages.send': { target: 'agent:alice', body: 'as bob', agentName: 'bob', attachmentId: alice.attachmentId },
    'messages.read': { agentName: 'bob', attachmentId: alice.attachmentId },
    'messages.search': { query: 'word', agentName: 'bob', attachmentId: alice.attachmentId },
    'messages.getReceipts': { messageId: 'msg_1', attachmentId: alice.attachmentId },
    'messages.watchInbox': { inboxId: 'inb_1', attachmentId: alice.attachmentId },
    'messages.watchMailbox': { agentName: 'bob', attachmentId: alice.attachmentId },
    'agents.setPurpose': { agentName: 'bob', purpose: 'not his', attachmentId: alice.attachmentId },
    'attachments.detach': his,
    'attachments.claimOffer': { ...his, ...ids, route: 'mailbox' },
    'attachments.acknowledge': { ...his, ...ids, acknowledgement: 1 },
  };
});

afterAll(async () => {
  for (const session of sessions) session.abort();
  await world.close();
});

function transportOf(secret: string | undefined): Transport {
  const sessionManager = new Http2SessionManager(world.url);
  sessions.push(sessionManager);
  return createGrpcTransport({
    baseUrl: world.url,
    sessionManager,
    interceptors: [
      (next) => (request) => {
        if (secret !== undefined) request.header.set('authorization', `Bearer ${secret}`);
        return next(request);
      },
    ],
  });
}

const rpcs = Object.keys(table) as Rpc[];

function methodOf(rpc: Rpc): DescMethod {
  const [service, method] = rpc.split('.') as [keyof typeof services, string];
  return services[service].methods.find(({ localName }) => localName === method)!;
}

/** The refusal of a call, or what it answered first. A stream is left after its first response. */
async function call(
  rpc: Rpc,
  kind: Caller['kind'],
  input: object = {},
  transport = transports[kind],
): Promise<Outcome> {
  const method = methodOf(rpc);
  const client = createClient(method.parent, transport) as Record<string, (input: unknown, o: object) => unknown>;
  const leaving = new AbortController();
  try {
    const asked = method.methodKind === 'bidi_streaming' ? hello(leaving.signal) : input;
    const answer = client[method.localName]!(asked, { signal: leaving.signal });
    if (method.methodKind === 'unary') return { answer: await (answer as Promise<object>) };
    const first = await (answer as AsyncIterable<object>)[Symbol.asyncIterator]().next();
    return { answer: first.value as object };
  } catch (error) {
    const failure = ConnectError.from(error);
    const [problem] = failure.findDetails(ProblemSchema);
    return { code: failure.code, reason: problem?.reason, subject: problem?.subject };
  } finally {
    leaving.abort();
  }
}

/** The first frame of a link, which then stays open. */
async function* hello(signal: AbortSignal): AsyncGenerator<object> {
  yield { frame: { case: 'hello', value: { version: '0.1.0', bootId: 'boot', computer: 'desk' } } };
  await new Promise((done) => signal.addEventListener('abort', done));
}

/** What the sign-in calls ask of everybody, so that only the table can refuse them. */
const proof = (rpc: Rpc): object =>
  ['access.login', 'access.addAccount', 'access.listAccounts'].includes(rpc) ? { loginKey, accountName: '' } : {};

/** How the table refuses. */
const byTable = (rpc: Rpc, kind: Caller['kind']): Outcome =>
  kind === 'nobody'
    ? { code: Code.Unauthenticated, reason: Reason.SIGNED_OUT, subject: '' }
    : { code: Code.PermissionDenied, reason: Reason.NOT_ALLOWED, subject: methodOf(rpc).name };

/** How the table refuses a program that has not the scope. */
const byScope = (scope: string): Outcome => ({
  code: Code.PermissionDenied,
  reason: Reason.SCOPE_MISSING,
  subject: scope,
});

const refusals = new Set<Reason | undefined>([Reason.NOT_ALLOWED, Reason.NOT_FOUND, Reason.LEASE_ENDED]);

describe('ACC-5a every RPC answers every kind of caller as the table says', () => {
  const cells = rpcs.flatMap((rpc) => kinds.map((kind) => ({ rpc, kind, cell: cellOf(rpc, kind) })));

  test('there is a row for every RPC of every service', () => {
    const all = Object.entries(services).flatMap(([name, { methods }]) =>
      methods.map(({ localName }) => `${name}.${localName}`),
    );
    expect(rpcs.toSorted()).toEqual(all.toSorted());
    expect(cells.length).toBe(all.length * 4);
  });

  test.each(cells.filter(({ cell }) => cell === 'no'))('$rpc is refused to $kind', async ({ rpc, kind }) => {
    expect(await call(rpc, kind, proof(rpc))).toEqual(byTable(rpc, kind));
  });

  test.each(cells.filter(({ cell }) => cell !== 'no'))('$rpc is open to $kind: $cell', async ({ rpc, kind }) => {
    const outcome = await call(rpc, kind, proof(rpc));
    expect(outcome).not.toEqual(byTable(rpc, kind));
    // Whatever else an empty request is, it is no fault of the server.
    expect([Reason.INTERNAL, Reason.UNAVAILABLE, Reason.UNKNOWN_RPC]).not.toContain(outcome.reason);
  });

  const scoped = cells.flatMap(({ rpc, cell }) =>
    isScope(cell) ? scopes.map((has) => ({ rpc, needs: cell, has })) : [],
  );
  test('every scope that stands in the table opens some RPC, and connections have each in turn', () => {
    expect(scoped.length).toBeGreaterThan(100);
    expect(Object.keys(scopedTransports).toSorted()).toEqual([...scopes].toSorted());
  });

  test.each(scoped)('$rpc by a connection that has $has alone', async ({ rpc, needs, has }) => {
    const outcome = await call(rpc, 'connection', {}, scopedTransports[has]);
    expect({ isLetIn: !isDeepStrictEqual(outcome, byScope(needs)) }).toEqual({ isLetIn: has === needs });
  });

  const own = cells.filter(({ cell }) => cell === 'own');
  test.each(own)('$rpc by a child reaches nothing of another agent', async ({ rpc }) => {
    expect(Object.keys(foreign)).toContain(rpc);
    const { reason, answer } = await call(rpc, 'child', foreign[rpc]);
    const messages = answer === undefined ? undefined : (answer as { messages?: unknown[] }).messages;
    expect(messages?.length === 0 || refusals.has(reason), `answered ${JSON.stringify(answer)}`).toBe(true);
  });
});
