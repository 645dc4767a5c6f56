import { type DescMessage, type DescMethod, type DescService, fromJson, type JsonValue } from '@bufbuild/protobuf';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { AccessService } from '#gen/agentworks/access/v1/access_pb.ts';
import { AgentService } from '#gen/agentworks/agents/v1/agents_pb.ts';
import { AttachmentService } from '#gen/agentworks/agents/v1/attachments_pb.ts';
import { MessageService } from '#gen/agentworks/messages/v1/messages_pb.ts';
import { writeSignIn } from '../../bridge/account/config.ts';
import { main } from '../../cli/main.ts';
import type { Person } from '../world/people.ts';
import { argvOf, type CommandLine } from './cli-words.ts';
import { type Door, Refused, type Refusal, type Verbs } from './door.ts';
import { speakingAs } from './speaking.ts';
import { Watching } from './watching.ts';

/** `agentworks … --json`, run in this process. */
export const cli: Door = {
  name: 'cli',
  as(person) {
    const env = { AGENTWORKS_CONFIG: join(person.folder, 'config', `${person.connectionId}-${port(person)}.json`) };
    mkdirSync(join(person.folder, 'config'), { recursive: true, mode: 0o700 });
    if (person.secret !== undefined)
      writeSignIn(env, { server: person.server, secret: person.secret, plaintext: true });
    return speakingAs(person.agentName, {
      messages: verbs(MessageService, argvOf.messages, env, person),
      agents: verbs(AgentService, argvOf.agents, env, person),
      attachments: verbs(AttachmentService, argvOf.attachments, env, person),
      access: verbs(AccessService, argvOf.access, env, person),
    });
  },
};

const port = (person: Person) => new URL(person.server).port;

type Env = Record<string, string>;

function verbs<S extends DescService>(
  service: S,
  words: Record<string, CommandLine | undefined>,
  env: Env,
  person: Person,
): Verbs<S> {
  const verb = (method: DescMethod) => (input: object) => {
    const argv = words[method.localName]?.(input as never);
    if (argv === undefined) throw new Error(`the cli has no command for ${method.localName}: skip it, with the reason`);
    return method.methodKind === 'unary' ? ask(argv, env, method.output) : watch(argv, env, method, person);
  };
  return Object.fromEntries(service.methods.map((method) => [method.localName, verb(method)])) as unknown as Verbs<S>;
}

async function ask(argv: readonly string[], env: Env, output: DescMessage): Promise<unknown> {
  let out = '';
  await run(argv, env, new AbortController().signal, (text) => (out += text));
  return fromJson(output, JSON.parse(out) as JsonValue);
}

function watch(argv: readonly string[], env: Env, method: DescMethod, person: Person): Watching<unknown> {
  const leaving = new AbortController();
  const lines = new Lines();
  run(argv, env, leaving.signal, (text) => lines.write(text)).then(
    () => lines.end(),
    (error: unknown) => lines.end(error),
  );
  const items = async function* () {
    for await (const line of lines) yield fromJson(method.output, JSON.parse(line) as JsonValue);
  };
  return new Watching(items(), () => leaving.abort(), person.opens(`${method.localName} through cli`));
}

async function run(argv: readonly string[], env: Env, signal: AbortSignal, out: (text: string) => void): Promise<void> {
  let err = '';
  const code = await main(argv, { env, out, err: (text) => (err += text), signal });
  if (code !== 0 && !signal.aborted) throw refusal(code, err);
}

function refusal(code: number, err: string): Error {
  if (!err.startsWith('{')) return new Error(`exit ${code}: ${err}`);
  return new Refused(JSON.parse(err) as Refusal);
}

/** Printed text, line by line, as it comes. */
class Lines implements AsyncIterable<string> {
  readonly #ready: string[] = [];
  #rest = '';
  #ended: { readonly error: unknown } | undefined;
  #wake: () => void = () => {};

  write(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop()!;
    this.#ready.push(...lines);
    this.#wake();
  }

  end(error?: unknown): void {
    this.#ended = { error };
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<string> {
    for (;;) {
      while (this.#ready.length > 0) yield this.#ready.shift()!;
      if (this.#ended?.error !== undefined) throw this.#ended.error;
      if (this.#ended !== undefined) return;
      await new Promise<void>((done) => (this.#wake = done));
    }
  }
}
