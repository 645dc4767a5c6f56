import {
  type DescMessage,
  fromJson,
  type JsonObject,
  type JsonValue,
  type MessageShape,
  toJson,
} from '@bufbuild/protobuf';
import { type CallOptions, type Client, createClient, type Transport } from '@connectrpc/connect';
import * as access from '#gen/agentworks/access/v1/access_pb.ts';
import * as agents from '#gen/agentworks/agents/v1/agents_pb.ts';
import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import * as api from '#gen/agentworks/messages/v1/messages_pb.ts';
import { Problem } from '../core/problem.ts';
import { fitting } from './page.ts';
import { tools } from './tools/all.ts';
import { topics } from './tools/help.ts';

interface Clients {
  readonly messages: Client<typeof api.MessageService>;
  readonly agents: Client<typeof agents.AgentService>;
  readonly access: Client<typeof access.AccessService>;
}

type Act = (clients: Clients, input: JsonObject, options: CallOptions) => Promise<JsonObject>;

/** Does what a tool was asked for, as one of our own RPCs: every check, bound and refusal is theirs. */
export type Perform = (name: string, input: JsonObject, options: CallOptions) => Promise<JsonObject>;

export function performer(transport: Transport): Perform {
  const clients: Clients = {
    messages: createClient(api.MessageService, transport),
    agents: createClient(agents.AgentService, transport),
    access: createClient(access.AccessService, transport),
  };
  return async (name, input, options) => {
    const { action, ...rest } = input;
    return actOf(name, action)(clients, rest, options);
  };
}

const messageActs: Record<string, Act> = {
  send: async ({ messages }, input, options) =>
    shown(api.SendResponseSchema, await messages.send(understood(api.SendRequestSchema, input), options)),
  read: ({ messages }, input, options) => {
    const request = understood(api.ReadRequestSchema, input);
    return fitting(request.pageSize, async (pageSize) => {
      const page = await messages.read({ ...request, pageSize }, options);
      return { shown: shown(api.ReadResponseSchema, page), items: page.messages.map(shownMessage) };
    });
  },
  search: ({ messages }, input, options) => {
    const request = understood(api.SearchRequestSchema, input);
    return fitting(request.pageSize, async (pageSize) => {
      const page = await messages.search({ ...request, pageSize }, options);
      return { shown: shown(api.SearchResponseSchema, page), items: page.messages.map(shownMessage) };
    });
  },
  receipts: async ({ messages }, input, options) =>
    shown(
      api.GetReceiptsResponseSchema,
      await messages.getReceipts(understood(api.GetReceiptsRequestSchema, input), options),
    ),
  list_agents: (clients, input, options) => {
    const request = understood(agents.ListRequestSchema, input);
    return fitting(request.pageSize, async (pageSize) => {
      const page = await clients.agents.list({ ...request, pageSize }, options);
      return {
        shown: shown(agents.ListResponseSchema, page),
        items: page.agents.map((agent) => shown(agents.AgentSchema, agent)),
      };
    });
  },
  register: async (clients, { allowed_connection_ids: allowed, ...input }, options) => {
    const list = allowed === undefined ? {} : { allowed_connection_ids: { values: allowed } };
    const request = understood(agents.RegisterRequestSchema, { ...input, ...list });
    return shown(agents.RegisterResponseSchema, await clients.agents.register(request, options));
  },
  unregister: async (clients, input, options) =>
    shown(
      agents.UnregisterResponseSchema,
      await clients.agents.unregister(understood(agents.UnregisterRequestSchema, input), options),
    ),
  state: () => absent('messages.state', 'Crews and workflows, whose state this is'),
};

const helpActs: Record<string, Act> = {
  context: async (clients, input, options) =>
    shown(
      access.WhoAmIResponseSchema,
      await clients.access.whoAmI(understood(access.WhoAmIRequestSchema, input), options),
    ),
  topics: async (_clients, { topic }) => {
    const names = Object.keys(topics);
    if (topic === undefined) return { topics: names };
    if (typeof topic === 'string' && topic in topics) return { text: topics[topic as keyof typeof topics] };
    throw new Problem(Reason.BAD_FIELD, `topic is one of ${names.join(', ')}`, { subject: 'topic' });
  },
};

/** What the tools will do once there is what they speak of; until then they say so. */
const acts: Record<string, Record<string, Act>> = {
  messages: messageActs,
  functions: Object.fromEntries(
    ['list', 'call', 'status', 'read', 'reply', 'cancel'].map((action) => [
      action,
      () => absent(`functions.${action}`, 'functions'),
    ]),
  ),
  runs: Object.fromEntries(
    ['start', 'status', 'list'].map((action) => [
      action,
      () => absent(`runs.${action}`, 'runs of workflows and relays'),
    ]),
  ),
  help: helpActs,
};

function absent(subject: string, what: string): never {
  throw new Problem(Reason.UNKNOWN_RPC, `this version of the server has no ${what} yet; messages work`, { subject });
}

/** What a tool takes for an action is said by its own description, so that a model finds what it is refused for. */
function actOf(name: string, action: JsonValue | undefined): Act {
  const tool = tools.find((one) => one.name === name);
  if (tool === undefined)
    throw new Problem(
      Reason.NOT_FOUND,
      `there is no tool ${name}; the tools are ${tools.map((one) => one.name).join(', ')}`,
      {
        subject: name,
      },
    );
  const known = (tool.inputSchema.properties['action'] as { enum: string[] }).enum;
  if (typeof action === 'string' && known.includes(action)) return acts[name.replace(/_read$/, '')]![action]!;
  throw new Problem(Reason.BAD_FIELD, `action of ${name} is one of ${known.join(', ')}`, { subject: 'action' });
}

const shownMessage = (message: api.Message): JsonObject => shown(api.MessageSchema, message);

const shown = <M extends DescMessage>(schema: M, message: MessageShape<M>): JsonObject =>
  toJson(schema, message, { useProtoFieldName: true }) as JsonObject;

/** What a model gave, in the shape of the API's request. */
function understood<M extends DescMessage>(schema: M, input: JsonObject): MessageShape<M> {
  const fields = schema.fields.map(({ name }) => name);
  const stray = Object.keys(input).find((key) => !fields.includes(key));
  if (stray !== undefined)
    throw new Problem(
      Reason.BAD_FIELD,
      `this action does not take ${stray}; it takes ${fields.filter((field) => field !== 'attachment_id').join(', ') || 'nothing'}`,
      { subject: stray },
    );
  for (const [field, value] of Object.entries(input))
    if (!isWellFormed(value))
      throw new Problem(Reason.BAD_FIELD, `${field} holds half of a surrogate pair; send whole characters`, {
        subject: field,
      });
  try {
    return fromJson(schema, input);
  } catch (error) {
    const why = error instanceof Error ? error.message.replace(/^cannot decode \S+ from JSON: /, '') : '';
    const subject = fields.find((field) => why.includes(field)) ?? '';
    throw new Problem(Reason.MALFORMED, `the arguments do not fit this action: ${why}`, { subject });
  }
}

/** What is encoded later would be replaced in silence (MSG-14). */
function isWellFormed(value: JsonValue): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([key, inner]) => key.isWellFormed() && isWellFormed(inner));
}
