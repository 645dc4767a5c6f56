import type { JsonObject } from '@bufbuild/protobuf';
import { expect, test } from 'vitest';
import { rpc } from '../doors/rpc.ts';
import { inWorld } from '../world/world.ts';
import { mcpClient } from './client.ts';

interface Page {
  readonly messages: readonly { readonly body: string }[];
  readonly next_cursor: string;
}

test('GTW-1c a page ends before 24 kB of text, and its cursor goes on where it ended', () =>
  inWorld(async (world) => {
    const alice = await world.agent('alice');
    const bob = await world.agent('bob');
    const bodies = Array.from({ length: 12 }, (_, n) => `${n}:${'é'.repeat(3_000)}`);
    for (const body of bodies) await rpc.as(alice).messages.send({ target: 'agent:bob', body });
    const client = await mcpClient('v2', bob, world.url);
    const seen: string[] = [];
    for (let after = '0', pages = 0; seen.length < bodies.length; pages++) {
      expect(pages).toBeLessThan(bodies.length);
      const result = await client.call('messages_read', { action: 'read', agent_name: 'bob', after });
      expect(Buffer.byteLength(result.content[0]!.text)).toBeLessThanOrEqual(24_000);
      const page = result.structuredContent as unknown as Page;
      expect(page.messages.length).toBeGreaterThan(0);
      seen.push(...page.messages.map(({ body }) => body));
      after = page.next_cursor;
    }
    expect(seen).toEqual(bodies);
  }));

test('MSG-14d one message longer than a page is given whole', () =>
  inWorld(async (world) => {
    const alice = await world.agent('alice');
    const bob = await world.agent('bob');
    const body = 'x'.repeat(262_144);
    const client = await mcpClient('v2', alice, world.url);
    await client.call('messages', { action: 'send', target: 'agent:bob', body, agent_name: 'alice' });
    const reader = await mcpClient('v2', bob, world.url);
    const result = await reader.call('messages_read', { action: 'read', agent_name: 'bob' });
    expect((result.structuredContent as unknown as Page).messages.map((message) => message.body)).toEqual([body]);
    const refused = await client.call('messages', {
      action: 'send',
      target: 'agent:bob',
      body: `${body}x`,
      agent_name: 'alice',
    });
    expect(JSON.parse(refused.content[0]!.text) as JsonObject).toMatchObject({
      reason: 'LIMIT_EXCEEDED',
      subject: 'body',
      bound: 262_144,
    });
  }));

test('GTW-1b a read that waits answers when its message comes', () =>
  inWorld(async (world) => {
    const alice = await world.agent('alice');
    const bob = await world.agent('bob');
    const client = await mcpClient('v2', bob, world.url);
    const waiting = client.call('messages_read', { action: 'read', agent_name: 'bob', wait_seconds: 25 });
    await rpc.as(alice).messages.send({ target: 'agent:bob', body: 'here' });
    expect((await waiting).structuredContent).toMatchObject({ messages: [{ body: 'here' }] });
  }));
