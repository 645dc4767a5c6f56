import { expect, test } from 'vitest';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import { type Hands, refuses } from '../doors/door.ts';
import { rpc } from '../doors/rpc.ts';
import { inWorld } from '../world/world.ts';
import { proves } from './proves.ts';

test('CON-6a docs/limits.md is what the enforcing table says', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['scripts/write-limits.ts', '--check']);
  expect(stdout).toMatch(/^docs\/limits.md: \d\d limits, as enforced\n$/);
});

/** A request at its bound, and the same one step over it. */
interface Bounded {
  readonly subject: string;
  readonly bound: number;
  readonly ask: (size: number) => Promise<unknown>;
}

const bounded = (hands: Hands): Bounded[] => [
  { subject: 'body', bound: 262_144, ask: (n) => hands.messages.send({ target: 'agent:bob', body: 'x'.repeat(n) }) },
  {
    subject: 'submission_id',
    bound: 128,
    ask: (n) => hands.messages.send({ target: 'agent:bob', body: 'x', submissionId: 'x'.repeat(n) }),
  },
  { subject: 'page_size', bound: 100, ask: (n) => hands.messages.read({ pageSize: n }) },
  { subject: 'query', bound: 256, ask: (n) => hands.messages.search({ query: 'x'.repeat(n) }) },
  {
    subject: 'provider',
    bound: 64,
    ask: (n) => hands.agents.register({ agentName: 'alice', provider: 'x'.repeat(n) }),
  },
  { subject: 'purpose', bound: 512, ask: (n) => hands.agents.register({ agentName: 'alice', purpose: 'é'.repeat(n) }) },
];

proves('CON-6b', 'a request over a bound is refused by name, with the field and the bound', async ({ world, door }) => {
  const alice = door.as(await world.agent('alice'));
  const bob = rpc.as(await world.agent('bob'));
  for (const { subject, bound, ask } of bounded(alice)) {
    const refusal = await refuses(Reason.LIMIT_EXCEEDED, ask(bound + 1));
    expect(refusal).toMatchObject({ subject, bound });
    expect(refusal.sentence).toMatch(new RegExp(`${bound}|${bound.toLocaleString('en-US')}|${bound / 1024} KiB`));
  }
  expect((await bob.messages.read({})).messages).toEqual([]);
});

proves('CON-6c', 'a request exactly at a bound is accepted', async ({ world, door }) => {
  const alice = door.as(await world.agent('alice'));
  await world.agent('bob');
  for (const { bound, ask } of bounded(alice)) await ask(bound);
});

test('CON-6d a request that is too large is refused with its bound before it is held in memory', () =>
  inWorld(async (world) => {
    const alice = await world.agent('alice');
    await world.agent('bob');
    const body = 'x'.repeat(5 * 1024 * 1024);
    const through = await refuses(Reason.LIMIT_EXCEEDED, rpc.as(alice).messages.send({ target: 'agent:bob', body }));
    expect(through).toMatchObject({ subject: 'request', bound: 4_194_304 });

    const before = process.memoryUsage().arrayBuffers;
    let sent = 0;
    const endless = new ReadableStream({
      pull(controller) {
        // Four gigabytes, if somebody would take them.
        if (sent++ === 65_536) controller.close();
        else controller.enqueue(new Uint8Array(65_536).fill(0x20));
      },
    });
    const url = `${world.url}/agentworks.messages.v1.MessageService/Send`;
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${alice.secret}` };
    const request: RequestInit & { duplex: 'half' } = { method: 'POST', headers, body: endless, duplex: 'half' };
    const answer = await fetch(url, request).then(
      (response) => response.json(),
      // A client that is still writing may see only that the connection was closed.
      () => ({ code: 'resource_exhausted' }),
    );
    expect(answer).toMatchObject({ code: 'resource_exhausted' });
    expect(sent).toBeLessThan(1_000);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 * 1024 * 1024);
  }));
