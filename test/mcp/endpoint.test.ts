import type { JsonObject } from '@bufbuild/protobuf';
import { expect, test } from 'vitest';
import { tools } from '../../server/mcp/tools/all.ts';
import { rpc } from '../doors/rpc.ts';
import { inWorld } from '../world/world.ts';
import { type Generation, mcpClient, post } from './client.ts';

const generations: Generation[] = ['v1', 'v2'];

/** The refusal that a tool answered with, in the words of every other door. */
const problemIn = ({
  content,
  isError,
  structuredContent,
}: Awaited<ReturnType<Awaited<ReturnType<typeof mcpClient>>['call']>>) => {
  expect(isError).toBe(true);
  expect(structuredContent).toBeUndefined();
  return JSON.parse(content[0]!.text) as JsonObject;
};

test.each(generations)(
  'GTW-1a, OPS-1d a client of SDK %s gets the whole list in one page and calls a tool',
  (generation) =>
    inWorld(async (world) => {
      const alice = await world.agent('alice');
      await world.agent('bob');
      const client = await mcpClient(generation, alice, world.url);
      expect(await client.names()).toEqual(tools.map(({ name }) => name));
      const sent = await client.call('messages', {
        action: 'send',
        target: 'agent:bob',
        body: 'from a tool',
        agent_name: 'alice',
      });
      expect(sent.structuredContent).toMatchObject({ recipients: [{ agent_name: 'bob' }] });
      // Each of the two ways is enough by itself.
      expect(JSON.parse(sent.content[0]!.text)).toEqual(sent.structuredContent);
    }),
);

test.each(generations)('GTW-1a a client of SDK %s goes on after a restart, without a word', (generation) =>
  inWorld(async (world) => {
    const alice = await world.agent('alice');
    const client = await mcpClient(generation, alice, world.url);
    await client.call('help', { action: 'context' });
    await world.restart();
    const self = await client.call('help', { action: 'context' });
    expect(self.structuredContent).toMatchObject({ connection_id: alice.connectionId });
  }),
);

test('GTW-1a any server answers any request: there is no session', () =>
  inWorld(async (world) => {
    const alice = await world.agent('alice');
    const nodes = [world.url, (await world.secondNode()).url, (await world.secondNode()).url];
    const call = (server: string, name: string, input: JsonObject) =>
      post(
        server,
        { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: input } },
        {
          authorization: `Bearer ${alice.secret}`,
          'mcp-session-id': 'of another server',
          'mcp-protocol-version': '2025-11-25',
        },
      );
    for (const server of nodes) {
      const answer = await call(server, 'help', { action: 'context' });
      expect(answer.status).toBe(200);
      expect(await answer.text()).toContain(alice.connectionId);
    }
  }));

test('GTW-1a whoever is not signed in is told where to sign in, and reads nothing', () =>
  inWorld(async (world) => {
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    const none = await post(world.url, list);
    expect(none.status).toBe(401);
    expect(none.headers.get('www-authenticate')).toMatch(
      /^Bearer scope="[^"]+", resource_metadata="http:\/\/[^"]+\/\.well-known\/oauth-protected-resource\/mcp"$/,
    );
    const wrong = await post(world.url, list, { authorization: 'Bearer aw1_nobody' });
    expect(wrong.status).toBe(401);
    expect(wrong.headers.get('www-authenticate')).toContain('error="invalid_token"');
    expect(await wrong.json()).toMatchObject({ error: { data: { reason: 'SIGNED_OUT' } } });
  }));

test('ACC-7a, ACC-7b a page of elsewhere, a foreign Host and another content type are refused', () =>
  inWorld(async (world) => {
    const { secret } = await world.agent('alice');
    const authorization = `Bearer ${secret}`;
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    expect((await post(world.url, list, { authorization, origin: 'https://evil.example' })).status).toBe(403);
    expect((await post(world.url, list, { authorization, 'content-type': 'text/plain' })).status).toBe(415);
    expect((await post(world.url, undefined, { authorization }, 'GET')).status).toBe(405);
    expect((await post(world.url, '{"jsonrpc"', { authorization })).status).toBe(400);
  }));

test('GTW-1c a client that begins with a revision of tomorrow is answered with one that is known', () =>
  inWorld(async (world) => {
    const { secret } = await world.agent('alice');
    const answer = await post(
      world.url,
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'initialize',
        params: { protocolVersion: '2026-07-28', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
      },
      { authorization: `Bearer ${secret}` },
    );
    expect(answer.status).toBe(200);
    expect(await answer.text()).toMatch(/"protocolVersion":"2025-/);
  }));

test('GTW-1a what is not there yet is said as a refusal, and its tools stay', () =>
  inWorld(async (world) => {
    const client = await mcpClient('v2', await world.agent('alice'), world.url);
    for (const [tool, action] of [
      ['functions', 'call'],
      ['functions_read', 'status'],
      ['runs', 'start'],
      ['messages', 'state'],
    ] as const)
      expect(problemIn(await client.call(tool, { action }))).toMatchObject({
        reason: 'UNKNOWN_RPC',
        subject: `${tool.replace('_read', '')}.${action}`,
      });
  }));

test('CON-1d a mistake is refused with the field, the bound and the next step', () =>
  inWorld(async (world) => {
    const client = await mcpClient('v2', await world.agent('alice'), world.url);
    const refusal = async (tool: string, input: JsonObject) => problemIn(await client.call(tool, input));
    expect(await refusal('messages', { action: 'sing' })).toMatchObject({ reason: 'BAD_FIELD', subject: 'action' });
    expect(await refusal('messages_read', { action: 'send' })).toMatchObject({
      reason: 'BAD_FIELD',
      subject: 'action',
    });
    expect(await refusal('messages', { action: 'read', body: 'x' })).toMatchObject({
      reason: 'BAD_FIELD',
      subject: 'body',
      sentence: expect.stringContaining('agent_name'),
    });
    expect(await refusal('messages', { action: 'read', wait_seconds: 26, agent_name: 'alice' })).toMatchObject({
      reason: 'LIMIT_EXCEEDED',
      subject: 'wait_seconds',
      bound: 25,
    });
    expect(await refusal('messages', { action: 'read', page_size: 'many' })).toMatchObject({
      reason: 'MALFORMED',
      subject: 'page_size',
    });
    expect(await refusal('nothing', { action: 'x' })).toMatchObject({ reason: 'NOT_FOUND', subject: 'nothing' });
  }));

test('ACC-2e a tool whose scope the connection lacks is refused, and the list stays the same', () =>
  inWorld(async (world) => {
    const owner = await world.person();
    const { secret } = await rpc.as(owner).access.createConnection({ label: 'a reader', scopes: ['read'] });
    const client = await mcpClient('v2', { ...owner, secret }, world.url);
    expect(await client.names()).toHaveLength(tools.length);
    expect(problemIn(await client.call('messages', { action: 'register', agent_name: 'carol' }))).toMatchObject({
      reason: 'SCOPE_MISSING',
      subject: 'agents:register',
    });
  }));
