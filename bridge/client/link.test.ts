import type { MessageInitShape } from '@bufbuild/protobuf';
import { Code, ConnectError, createRouterTransport } from '@connectrpc/connect';
import { expect, test } from 'vitest';
import { BridgeService, type LinkRequest, type LinkResponseSchema } from '#gen/agentworks/bridge/v1/bridge_pb.ts';
import { ProblemSchema, Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import { rpc } from '../../test/doors/rpc.ts';
import type { Agent } from '../../test/world/people.ts';
import { inWorld, type World } from '../../test/world/world.ts';
import { connect } from './index.ts';
import { Link, type LinkOptions } from './link.ts';

type Down = MessageInitShape<typeof LinkResponseSchema>;
type Submitted = Extract<LinkRequest['frame'], { case: 'submissions' }>['value']['submissions'];

const welcome: Down = { frame: { case: 'welcome', value: { version: '0.1.0', pingSeconds: 10 } } };
const stored = (submissions: Submitted): Down => ({
  frame: {
    case: 'results',
    value: {
      results: submissions.map(({ tag, request }) => ({
        tag,
        outcome: { case: 'sent', value: { messageId: `stored ${request!.body}` } },
      })),
    },
  },
});

/** A server that does to each connection in turn what a script says, and keeps what it heard. */
function scripted(...connections: ((frame: LinkRequest['frame']) => Down | 'break' | undefined)[]) {
  const heard: LinkRequest['frame'][] = [];
  const transport = createRouterTransport((router) =>
    router.service(BridgeService, {
      async *link(frames) {
        const answer = connections.length > 1 ? connections.shift()! : connections[0]!;
        for await (const { frame } of frames) {
          heard.push(frame);
          const down = answer(frame);
          if (down === 'break') throw new ConnectError('gone', Code.Unavailable);
          if (down !== undefined) yield down;
        }
      },
    }),
  );
  const submitted = () => heard.flatMap((frame) => (frame.case === 'submissions' ? frame.value.submissions : []));
  return { heard, submitted, open: (options?: LinkOptions) => new Link(transport, options) };
}

/** Answers whatever it is asked. */
const willing = (frame: LinkRequest['frame']) => {
  if (frame.case === 'hello') return welcome;
  return frame.case === 'submissions' ? stored(frame.value.submissions) : undefined;
};
/** Breaks as soon as something is submitted. */
const breaking = (frame: LinkRequest['frame']) => (frame.case === 'hello' ? welcome : ('break' as const));
const silent = (frame: LinkRequest['frame']) => (frame.case === 'hello' ? welcome : undefined);

const bytes = (submissions: Submitted) => submissions.reduce((sum, { request }) => sum + request!.body.length, 0);

test('what is submitted in one tick travels in one frame, after the hello', async () => {
  const server = scripted(willing);
  using link = server.open();
  const answers = await Promise.all(['a', 'b', 'c'].map((body) => link.submit({ body }, undefined)));
  expect(answers.map(({ messageId }) => messageId)).toEqual(['stored a', 'stored b', 'stored c']);
  expect(server.heard.map((frame) => frame.case)).toEqual(['hello', 'submissions']);
});

test('a frame holds at most 500 submissions and 2 MiB', async () => {
  const server = scripted(willing);
  using link = server.open();
  const large = 'x'.repeat(256 * 1024);
  const bodies = [...Array.from({ length: 600 }, () => 'small'), ...Array.from({ length: 8 }, () => large)];
  await Promise.all(bodies.map((body) => link.submit({ body }, undefined)));
  const frames = server.heard.flatMap((frame) => (frame.case === 'submissions' ? [frame.value.submissions] : []));
  expect(Math.max(...frames.map((frame) => frame.length))).toBeLessThanOrEqual(500);
  expect(Math.max(...frames.map(bytes))).toBeLessThan(4 * 1024 * 1024);
  expect(frames.flat()).toHaveLength(608);
});

test('a break sends the unanswered again, in their order and with the ids they had', async () => {
  const server = scripted(breaking, breaking, willing);
  using link = server.open();
  await Promise.all(['a', 'b'].map((body) => link.submit({ body }, undefined)));
  const rounds = [0, 1, 2].map((round) => server.submitted().slice(2 * round, 2 * round + 2));
  expect(rounds[2]!.map(({ request }) => request!.body)).toEqual(['a', 'b']);
  const ids = rounds.map((round) => round.map(({ request }) => request!.submissionId).join(' '));
  expect(new Set(ids).size).toBe(1);
  expect(ids[0]).toMatch(/^\S{8,} \S{8,}$/);
});

test('a ping is answered with its nonce', async () => {
  const server = scripted((frame) =>
    frame.case === 'submissions' ? { frame: { case: 'ping', value: { nonce: 7n } } } : willing(frame),
  );
  using link = server.open();
  void link.submit({ body: 'a' }, undefined).catch(() => {});
  await expect.poll(() => server.heard.at(-1)).toMatchObject({ case: 'pong', value: { nonce: 7n } });
});

test('a right that ended ends the link and everything on it', async () => {
  const problem = { reason: Reason.SIGNED_OUT, sentence: 'signed out' };
  const server = scripted((frame) => {
    if (frame.case === 'hello') return welcome;
    throw new ConnectError('signed out', Code.Unauthenticated, undefined, [{ desc: ProblemSchema, value: problem }]);
  });
  using link = server.open();
  await expect(link.submit({ body: 'a' }, undefined)).rejects.toMatchObject({ reason: 'SIGNED_OUT' });
  await expect(link.submit({ body: 'b' }, undefined)).rejects.toMatchObject({ reason: 'SIGNED_OUT' });
  expect(server.submitted()).toHaveLength(1);
});

test('patience ends while the server is away', async () => {
  const breaks: string[] = [];
  const server = scripted(() => 'break' as const);
  using link = server.open({ patienceMs: 0, onBreak: ({ reason }) => breaks.push(reason) });
  await expect(link.submit({ body: 'a' }, undefined)).rejects.toMatchObject({ reason: 'UNAVAILABLE' });
  expect(breaks).toContain('UNAVAILABLE');
});

test('whoever gives up is not kept waiting, and the others are', async () => {
  const server = scripted(silent);
  using link = server.open();
  const leaving = new AbortController();
  const given = link.submit({ body: 'a' }, leaving.signal);
  const kept = link.submit({ body: 'b' }, undefined);
  leaving.abort();
  await expect(given).rejects.toMatchObject({ reason: 'CANCELED' });
  await expect.poll(() => server.submitted().map(({ request }) => request!.body)).toEqual(['b']);
  link.close();
  await expect(kept).rejects.toMatchObject({ reason: 'CANCELED' });
});

test('half a character is refused alone, before it could break the stream of all', async () => {
  const server = scripted(willing);
  using link = server.open();
  const [bad, good] = await Promise.allSettled(['\uD800', 'a'].map((body) => link.submit({ body }, undefined)));
  expect(bad).toMatchObject({ status: 'rejected', reason: { reason: 'BAD_FIELD', subject: 'body' } });
  expect(good).toMatchObject({ status: 'fulfilled' });
});

/** The client library on a person's computer. */
async function linked(world: World) {
  const person = await world.person();
  const client = connect({ address: person.server, secret: person.secret, plaintext: true });
  person.leave(client.close);
  const link = client.openLink({ version: '0.1.0', computer: 'desk' });
  person.leave(() => link.close());
  return { client, send: (input: object) => link.submit({ target: 'agent:bob', ...input }, undefined) };
}

async function mailbox(agent: Agent): Promise<string[]> {
  const bodies: string[] = [];
  for (let after = ''; ;) {
    const { messages, nextCursor } = await rpc.as(agent).messages.read({ after });
    if (messages.length === 0) return bodies;
    bodies.push(...messages.map(({ body }) => body));
    after = nextCursor;
  }
}

const numbers = (count: number) => Array.from({ length: count }, (_, i) => `${i}`);

test('MSG-5 a server stores what one link submits in the order submitted', () =>
  inWorld(async (world) => {
    const bob = await world.agent('bob');
    const { send } = await linked(world);
    await Promise.all(numbers(300).map((body) => send({ body })));
    expect(await mailbox(bob)).toEqual(numbers(300));
  }));

test('a server refuses one submission, as it would refuse a call, and stores its neighbours', () =>
  inWorld(async (world) => {
    const bob = await world.agent('bob');
    const { client, send } = await linked(world);
    const wrong = { target: 'agent:bop', body: 'b' };
    const [first, refused, third] = await Promise.allSettled([send({ body: 'a' }), send(wrong), send({ body: 'c' })]);
    expect([first.status, third.status]).toEqual(['fulfilled', 'fulfilled']);
    const asCall = await client.messages.send(wrong).catch((error: unknown) => error as object);
    expect(asCall).toMatchObject({ reason: 'NOT_FOUND', code: Code.NotFound, suggestions: ['bob'] });
    const { reason, code, sentence, subject, suggestions } = asCall as Record<string, unknown>;
    expect(refused).toMatchObject({ reason: { reason, code, sentence, subject, suggestions } });
    expect(await mailbox(bob)).toEqual(['a', 'c']);
  }));

test('MSG-3 a server that is stopped and started under a link stores each submission once', () =>
  inWorld(async (world) => {
    const bob = await world.agent('bob');
    const { send } = await linked(world);
    const sent = numbers(200).map((body) => send({ body }));
    await sent[0];
    const restarted = world.restart();
    const meanwhile = ['while away'].map((body) => send({ body }));
    await restarted;
    await Promise.all([...sent, ...meanwhile]);
    const bodies = await mailbox(bob);
    expect(bodies).toHaveLength(201);
    expect(new Set(bodies).size).toBe(201);
  }));
