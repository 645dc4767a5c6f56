import {
  create,
  type DescMethod,
  type DescService,
  fromBinary,
  fromJson,
  type JsonValue,
  toJson,
} from '@bufbuild/protobuf';
import { AccessService } from '#gen/agentworks/access/v1/access_pb.ts';
import { AgentService } from '#gen/agentworks/agents/v1/agents_pb.ts';
import { AttachmentService } from '#gen/agentworks/agents/v1/attachments_pb.ts';
import { ProblemSchema } from '#gen/agentworks/common/v1/problem_pb.ts';
import { MessageService } from '#gen/agentworks/messages/v1/messages_pb.ts';
import type { Person } from '../world/people.ts';
import { type Door, reasonName, Refused, type Verbs } from './door.ts';
import { speakingAs } from './speaking.ts';
import { Watching } from './watching.ts';

/** What curl does: POST JSON, read JSON. A stream is JSON in frames of a five-byte head. */
export const http: Door = {
  name: 'http',
  as: (person) =>
    speakingAs(person.agentName, {
      messages: verbs(MessageService, person),
      agents: verbs(AgentService, person),
      attachments: verbs(AttachmentService, person),
      access: verbs(AccessService, person),
    }),
};

const verbs = <S extends DescService>(service: S, person: Person): Verbs<S> =>
  Object.fromEntries(
    service.methods.map((method) => [
      method.localName,
      (input: object) => (method.methodKind === 'unary' ? ask(person, method, input) : watch(person, method, input)),
    ]),
  ) as unknown as Verbs<S>;

const post = (
  person: Person,
  method: DescMethod,
  type: string,
  body: string | Buffer<ArrayBuffer>,
  signal?: AbortSignal,
) =>
  fetch(`${person.server}/${method.parent.typeName}/${method.name}`, {
    method: 'POST',
    headers: {
      'content-type': type,
      ...(person.secret === undefined ? {} : { authorization: `Bearer ${person.secret}` }),
    },
    body,
    ...(signal === undefined ? {} : { signal }),
  });

const written = (method: DescMethod, input: object) =>
  JSON.stringify(toJson(method.input, create(method.input, input as never)));

async function ask(person: Person, method: DescMethod, input: object): Promise<unknown> {
  const response = await post(person, method, 'application/json', written(method, input));
  const answer = await response.text();
  if (!response.ok) throw refusal(answer);
  return fromJson(method.output, JSON.parse(answer) as JsonValue);
}

function watch(person: Person, method: DescMethod, input: object): Watching<unknown> {
  const leaving = new AbortController();
  const body = Buffer.from(written(method, input));
  const head = Buffer.alloc(5);
  head.writeUInt32BE(body.length, 1);
  const response = post(person, method, 'application/connect+json', Buffer.concat([head, body]), leaving.signal);
  return new Watching(
    frames(response, method),
    () => leaving.abort(),
    person.opens(`${method.localName} through http`),
  );
}

async function* frames(asked: Promise<Response>, method: DescMethod): AsyncGenerator {
  const response = await asked;
  if (!response.ok) throw refusal(await response.text());
  let rest = Buffer.alloc(0);
  for await (const chunk of response.body!) {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= 5 && rest.length >= 5 + rest.readUInt32BE(1)) {
      const text = rest.toString('utf8', 5, 5 + rest.readUInt32BE(1));
      const isLast = (rest[0]! & 2) !== 0;
      rest = rest.subarray(5 + rest.readUInt32BE(1));
      if (!isLast) yield fromJson(method.output, JSON.parse(text) as JsonValue);
      else if (text !== '{}') throw refusal(JSON.stringify((JSON.parse(text) as { error: object }).error));
    }
  }
}

interface Failure {
  readonly details?: readonly { readonly type: string; readonly value: string }[];
}

function refusal(answer: string): Error {
  if (!answer.startsWith('{')) return new Error(`no JSON: ${answer.slice(0, 200)}`);
  const detail = (JSON.parse(answer) as Failure).details?.find(({ type }) => type === ProblemSchema.typeName);
  if (detail === undefined) return new Error(answer);
  const problem = fromBinary(ProblemSchema, Buffer.from(detail.value, 'base64'));
  return new Refused({ ...problem, reason: reasonName(problem.reason), bound: Number(problem.bound) });
}
