import type { DescService, MessageInitShape } from '@bufbuild/protobuf';
import { ConnectError, createClient, type Transport } from '@connectrpc/connect';
import { AccessService } from '#gen/agentworks/access/v1/access_pb.ts';
import { AgentService } from '#gen/agentworks/agents/v1/agents_pb.ts';
import { AttachmentService } from '#gen/agentworks/agents/v1/attachments_pb.ts';
import { type Problem, ProblemSchema } from '#gen/agentworks/common/v1/problem_pb.ts';
import { MessageService } from '#gen/agentworks/messages/v1/messages_pb.ts';
import { openTransport } from '../../bridge/client/transport.ts';
import type { Person } from '../world/people.ts';
import { type Door, reasonName, Refused, type Verbs } from './door.ts';
import { speakingAs } from './speaking.ts';
import { Watching } from './watching.ts';

/** The client library over gRPC, one HTTP/2 connection a person. */
export const rpc: Door = {
  name: 'rpc',
  as(person) {
    const { transport, close } = openTransport({ server: person.server, secret: person.secret, plaintext: true });
    person.leave(close);
    return speakingAs(person.agentName, {
      messages: verbs(MessageService, transport, person),
      agents: verbs(AgentService, transport, person),
      attachments: verbs(AttachmentService, transport, person),
      access: verbs(AccessService, transport, person),
    });
  },
};

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
  const failure = ConnectError.from(error);
  const problem = failure.findDetails(ProblemSchema)[0];
  if (problem === undefined) throw failure;
  throw refused(problem);
}

/** The detail of a refusal, as scenes compare it. */
export const refused = (problem: Problem): Refused =>
  new Refused({
    reason: reasonName(problem.reason),
    subject: problem.subject,
    bound: Number(problem.bound),
    sentence: problem.sentence,
    suggestions: problem.suggestions,
  });
