import {
  create,
  type DescMethod,
  type DescService,
  fromJson,
  type JsonObject,
  type JsonValue,
  toJson,
} from '@bufbuild/protobuf';
import { Client, SdkHttpError, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { AccessService } from '#gen/agentworks/access/v1/access_pb.ts';
import { AgentService } from '#gen/agentworks/agents/v1/agents_pb.ts';
import { MessageService } from '#gen/agentworks/messages/v1/messages_pb.ts';
import type { Person } from '../world/people.ts';
import { type Door, type Hands, Refused, type Refusal, type Verbs } from './door.ts';
import { rpc } from './rpc.ts';
import { speakingAs } from './speaking.ts';

/**
 * The tools of the hosted endpoint, asked by an MCP client. What no tool does (attaching, managing connections, open
 * streams) a scene prepares by RPC; `proves` refuses a scene that asks no tool at all.
 */
export const mcp: Door = {
  name: 'mcp',
  as(person) {
    const known = opened.get(person) ?? open(person);
    opened.set(person, known);
    return known;
  },
};

/** How often a tool was asked, so that no scene passes this door without touching it. */
export const asked = { times: 0 };

const opened = new WeakMap<Person, Hands>();

type Words = Readonly<Record<string, { readonly tool: string; readonly action: string }>>;

const messages: Words = {
  send: { tool: 'messages', action: 'send' },
  read: { tool: 'messages_read', action: 'read' },
  search: { tool: 'messages_read', action: 'search' },
  getReceipts: { tool: 'messages_read', action: 'receipts' },
};
const agents: Words = {
  register: { tool: 'messages', action: 'register' },
  unregister: { tool: 'messages', action: 'unregister' },
  list: { tool: 'messages_read', action: 'list_agents' },
};
const access: Words = { whoAmI: { tool: 'help', action: 'context' } };

function open(person: Person): Hands {
  const hands = rpc.as(person);
  const call = caller(person);
  return speakingAs(person.agentName, {
    messages: { ...hands.messages, ...verbs(MessageService, messages, call) },
    agents: { ...hands.agents, ...verbs(AgentService, agents, call) },
    attachments: hands.attachments,
    access: { ...hands.access, ...verbs(AccessService, access, call) },
  });
}

type Call = (tool: string, input: JsonObject) => Promise<JsonValue>;

function verbs<S extends DescService>(service: S, words: Words, call: Call): Partial<Verbs<S>> {
  return Object.fromEntries(
    Object.entries(words).map(([name, { tool, action }]) => {
      const method: DescMethod = service.method[name]!;
      return [
        name,
        async (input: object) => fromJson(method.output, await call(tool, { action, ...argumentsOf(method, input) })),
      ];
    }),
  ) as unknown as Partial<Verbs<S>>;
}

/** A list that may be absent or empty is a plain list here. */
function argumentsOf(method: DescMethod, input: object): JsonObject {
  const json = toJson(method.input, create(method.input, input as never), { useProtoFieldName: true }) as JsonObject;
  return Object.fromEntries(
    Object.entries(json).map(([name, value]) => {
      const field = method.input.fields.find((one) => one.name === name);
      const isList = field?.message?.typeName === 'agentworks.common.v1.StringList';
      return [name, isList ? ((value as JsonObject)['values'] ?? []) : value];
    }),
  );
}

/** One client a person; `2026-07-28` needs no handshake. */
function caller(person: Person): Call {
  let connected: Promise<Client> | undefined;
  return async (name, input) => {
    asked.times++;
    connected ??= connect(person);
    const client = await connected.catch(signedOut);
    const result = (await client.callTool({ name, arguments: input }).catch(signedOut)) as {
      readonly isError?: boolean;
      readonly structuredContent?: JsonObject;
      readonly content: readonly { readonly text: string }[];
    };
    const said = JSON.parse(result.content[0]!.text) as JsonObject;
    if (result.isError === true) throw new Refused(said as unknown as Refusal);
    return result.structuredContent!;
  };
}

/** Whoever has no good credential is refused by the endpoint, before any tool; what it said is somewhere in the error. */
function signedOut(error: unknown): never {
  if (!(error instanceof SdkHttpError) || error.status !== 401) throw error;
  const said = [error.message, ...Object.values(error.data)].map(String).find((text) => text.includes('{"jsonrpc"'));
  if (said === undefined) return signedOut(error.cause ?? new Error('refused without a word', { cause: error }));
  const answer = JSON.parse(said.slice(said.indexOf('{'))) as { error: { data: Refusal } };
  throw new Refused(answer.error.data);
}

async function connect(person: Person): Promise<Client> {
  const client = new Client({ name: 'a scene', version: '1' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
  person.leave(() => void client.close());
  await client.connect(
    new StreamableHTTPClientTransport(new URL('/mcp', person.server), {
      requestInit: {
        headers: person.secret === undefined ? {} : { authorization: `Bearer ${person.secret}` },
      },
    }),
  );
  return client;
}
