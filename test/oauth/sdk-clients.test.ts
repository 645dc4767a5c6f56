import type { IncomingMessage, ServerResponse } from 'node:http';
import { Client as ClientV2, StreamableHTTPClientTransport as TransportV2 } from '@modelcontextprotocol/client';
import type { OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { expect, test } from 'vitest';
import { challenge } from '../../server/oauth/metadata.ts';
import { Browser } from '../world/browser.ts';
import type { Person } from '../world/people.ts';
import { Router } from '../world/router.ts';
import { inWorld } from '../world/world.ts';
import { decide, statusFor } from './client.ts';

const CALLBACK = 'http://127.0.0.1:39199/callback';

/** What a host keeps for its MCP client, and a person who allows what it asks. */
class Host implements OAuthClientProvider {
  readonly redirectUrl = CALLBACK;
  readonly clientMetadata = {
    client_name: 'a host',
    redirect_uris: [CALLBACK],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  };
  answer = new URLSearchParams();
  readonly #person: Person;
  readonly #server: string;
  readonly #kept = new Map<string, unknown>();

  constructor(server: string, person: Person) {
    this.#server = server;
    this.#person = person;
  }

  clientInformation = () => this.#kept.get('client') as never;
  saveClientInformation = (client: unknown) => void this.#kept.set('client', client);
  tokens = () => this.#kept.get('tokens') as never;
  saveTokens = (tokens: unknown) => void this.#kept.set('tokens', tokens);
  discoveryState = () => this.#kept.get('discovery') as never;
  saveDiscoveryState = (state: unknown) => void this.#kept.set('discovery', state);
  codeVerifier = () => this.#kept.get('verifier') as string;
  saveCodeVerifier = (verifier: string) => void this.#kept.set('verifier', verifier);

  async redirectToAuthorization(url: URL): Promise<void> {
    const browser = new Browser(this.#server);
    const { left } = await decide(browser, this.#person, await browser.open(url), { answer: 'allow' });
    this.answer = left?.searchParams ?? this.answer;
  }

  /** As if its access token had run out. */
  spoilAccess(): void {
    this.saveTokens({ ...(this.tokens() as object), access_token: 'x'.repeat(43) });
  }
}

/** An MCP endpoint that asks the server behind it who calls. */
const endpoint = (router: Router) => (request: IncomingMessage, response: ServerResponse) => {
  if (request.url !== '/mcp') return false;
  void (async () => {
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1];
    const isKnown = token !== undefined && (await statusFor(router.servers[0]!, token)) === 200;
    response.setHeader('connection', 'close');
    if (!isKnown) {
      const refusal = token === undefined ? {} : { error: 'invalid_token' as const };
      return response.writeHead(401, { 'www-authenticate': challenge(router.url, refusal) }).end('{}');
    }
    let body = '';
    for await (const chunk of request) body += String(chunk);
    if (request.method !== 'POST') return response.writeHead(405).end();
    const { id, method, params } = JSON.parse(body) as {
      id?: number;
      method: string;
      params: { protocolVersion: string };
    };
    if (id === undefined) return response.writeHead(202).end();
    const answers: Record<string, object> = {
      initialize: {
        protocolVersion: params?.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: 'stub', version: '1' },
      },
      'tools/list': { tools: [{ name: 'messages', inputSchema: { type: 'object' } }] },
    };
    const result = answers[method];
    response.setHeader('content-type', 'application/json');
    const said = result === undefined ? { error: { code: -32601, message: 'unknown' } } : { result };
    return response.end(JSON.stringify({ jsonrpc: '2.0', id, ...said }));
  })();
  return true;
};

async function inRoutedWorld(scene: (url: string, person: Person) => Promise<void>): Promise<void> {
  await using router = await Router.open();
  router.answers = endpoint(router);
  await inWorld(
    async (world) => {
      router.servers.push(world.url);
      await scene(router.url, await world.person());
    },
    { AGENTWORKS_PUBLIC_URL: router.url },
  );
}

test("the older SDK's client goes from a refusal to its tools, and refreshes by itself", () =>
  inRoutedWorld(async (url, person) => {
    const host = new Host(url, person);
    const connect = async () => {
      const client = new ClientV1({ name: 'host', version: '1' });
      const transport = new TransportV1(new URL('/mcp', url), { authProvider: host });
      return { client, transport, connected: client.connect(transport) };
    };
    const first = await connect();
    await expect(first.connected).rejects.toThrow('Unauthorized');
    await first.transport.finishAuth(host.answer.get('code')!);
    await first.client.close();
    for (const spoil of [false, true]) {
      if (spoil) host.spoilAccess();
      const { client, connected } = await connect();
      await connected;
      expect((await client.listTools()).tools).toMatchObject([{ name: 'messages' }]);
      await client.close();
    }
  }));

test("the newer SDK's client does too", () =>
  inRoutedWorld(async (url, person) => {
    const host = new Host(url, person);
    const connect = async () => {
      const client = new ClientV2({ name: 'host', version: '1' });
      const transport = new TransportV2(new URL('/mcp', url), { authProvider: host as never });
      return { client, transport, connected: client.connect(transport) };
    };
    const first = await connect();
    await expect(first.connected).rejects.toThrow(/[Uu]nauthorized/);
    await first.transport.finishAuth(host.answer);
    await first.client.close();
    for (const spoil of [false, true]) {
      if (spoil) host.spoilAccess();
      const { client, connected } = await connect();
      await connected;
      expect((await client.listTools()).tools).toMatchObject([{ name: 'messages' }]);
      await client.close();
    }
  }));
