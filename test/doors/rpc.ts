import type { DescService, MessageInitShape } from '@bufbuild/protobuf';
import { createClient, type Transport } from '@connectrpc/connect';
import { AccessService } from '#gen/agentworks/access/v1/access_pb.ts';
import { AgentService } from '#gen/agentworks/agents/v1/agents_pb.ts';
import { AttachmentService } from '#gen/agentworks/agents/v1/attachments_pb.ts';
import { MessageService } from '#gen/agentworks/messages/v1/messages_pb.ts';
import { Refusal } from '../../bridge/client/refusal.ts';
import { openTransport } from '../../bridge/client/transport.ts';
import type { Person } from '../world/people.ts';
import { type Door, type Hands, Refused, type Verbs } from './door.ts';
import { speakingAs } from './speaking.ts';
import { Watching } from './watching.ts';

/** The client library over gRPC. */
export const rpc: Door = {
  name: 'rpc',
  as(person) {
    const known = opened.get(person) ?? open(person);
    opened.set(person, known);
    return known;
  },
};

/** One HTTP/2 connection a person, however often a scene says `door.as(alice)`. */
const opened = new WeakMap<Person, Hands>();

function open(person: Person): Hands {
  const connection = openTransport({ address: person.server, secret: person.secret, plaintext: true });
  person.leave(() => connection.close());
  const { transport } = connection;
  return speakingAs(person.agentName, {
    messages: verbs(MessageService, transport, person),
    agents: verbs(AgentService, transport, person),
    attachments: verbs(AttachmentService, transport, person),
    access: verbs(AccessService, transport, person),
  });
}

type Unary = (input: object) => Promise<unknown>;
type Stream = (input: object, options: { signal: AbortSignal }) => AsyncIterable<unknown>;

function verbs<S extends DescService>(service: S, transport: Transport, person: Person): Verbs<S> {
  const client = createClient(service, transport) as Record<string, Unary & Stream>;
  return Object.fromEntries(
    service.methods.map(({ localName, methodKind, input: shape }) => [
      localName,
      methodKind === 'unary'
        ? (input: MessageInitShape<typeof shape>) => client[localName]!(input).catch(refusing)
        : (input: MessageInitShape<typeof shape>) => {
            const leaving = new AbortController();
            const items = client[localName]!(input, { signal: leaving.signal });
            return new Watching(each(items), () => leaving.abort(), person.opens(`${localName} through rpc`));
          },
    ]),
  ) as unknown as Verbs<S>;
}

async function* each<T>(items: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* items;
  } catch (error) {
    refusing(error);
  }
}

function refusing(error: unknown): never {
  throw error instanceof Refusal ? new Refused(error) : error;
}
