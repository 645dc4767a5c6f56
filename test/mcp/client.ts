import type { JsonObject } from '@bufbuild/protobuf';
import { Client as ClientV2, StreamableHTTPClientTransport as TransportV2 } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Person } from '../world/people.ts';

interface Result {
  readonly isError?: boolean;
  readonly structuredContent?: JsonObject;
  readonly content: readonly { readonly type: string; readonly text: string }[];
}

/** What both generations of clients can do. */
export interface Caller {
  call(name: string, input: JsonObject): Promise<Result>;
  names(): Promise<string[]>;
}

export type Generation = 'v1' | 'v2';

/** The SDK clients as they are, with a bearer that the person gave them. */
export async function mcpClient(
  generation: Generation,
  { secret, leave }: Pick<Person, 'secret' | 'leave'>,
  server: string,
): Promise<Caller> {
  const url = new URL('/mcp', server);
  const requestInit = { headers: { authorization: `Bearer ${secret}` } };
  const self = { name: 'a client', version: '1' };
  if (generation === 'v1') {
    const client = new ClientV1(self);
    leave(() => void client.close());
    await client.connect(new TransportV1(url, { requestInit }));
    return {
      call: async (name, input) => (await client.callTool({ name, arguments: input })) as unknown as Result,
      names: async () => (await client.listTools()).tools.map((tool) => tool.name),
    };
  }
  const client = new ClientV2(self, { versionNegotiation: { mode: 'auto' } });
  leave(() => void client.close());
  await client.connect(new TransportV2(url, { requestInit }));
  return {
    call: async (name, input) => (await client.callTool({ name, arguments: input })) as unknown as Result,
    names: async () => (await client.listTools()).tools.map((tool) => tool.name),
  };
}

/** One request by hand, as any HTTP client makes it. */
export const post = (
  server: string,
  body: unknown,
  headers: Record<string, string> = {},
  method = 'POST',
): Promise<Response> =>
  fetch(`${server}/mcp`, {
    method,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    ...(method === 'POST' ? { body: typeof body === 'string' ? body : JSON.stringify(body) } : {}),
  });
