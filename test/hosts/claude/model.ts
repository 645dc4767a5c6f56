import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One request of a chat to its model. */
export interface Turn {
  /** All that the person, a hook or another agent said since the model's last answer. */
  readonly said: string;
  /** What the tools answered that the model called last. */
  readonly results: readonly string[];
  /** The whole conversation, for what must not be in it. */
  readonly everything: string;
  /** The tools that it may call now. */
  readonly tools: readonly string[];
}

/** What the model does. */
export type Answer = { readonly say: string } | { readonly call: string; readonly input: object };

interface Block {
  readonly type: string;
  readonly text?: string;
  readonly content?: string | readonly Block[];
}

interface Request {
  readonly model?: string;
  readonly stream?: boolean;
  readonly tools?: readonly { readonly name: string }[];
  readonly messages?: readonly { readonly role: string; readonly content: string | readonly Block[] }[];
}

const LONGEST_MS = 30_000;

/** A Messages API on loopback whose model does what the test says. */
export class FakeModel implements AsyncDisposable {
  readonly turns: Turn[] = [];
  /** Decides each answer; set by the test. */
  answer: (turn: Turn) => Answer | Promise<Answer> = () => ({ say: 'Done.' });
  readonly #server: Server;
  readonly #waiting = new Set<() => void>();

  private constructor(server: Server) {
    this.#server = server;
  }

  static async open(): Promise<FakeModel> {
    const server = createServer();
    const model = new FakeModel(server);
    server.on('request', (request, response) => void model.#serve(request, response).catch(() => response.destroy()));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return model;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The first turn like this, past or to come. */
  async turn(holds: (turn: Turn) => boolean, what: string): Promise<Turn> {
    const late = setTimeout(() => this.#wake(), LONGEST_MS);
    try {
      for (const last = Date.now() + LONGEST_MS; ;) {
        const found = this.turns.find(holds);
        if (found !== undefined) return found;
        if (Date.now() >= last) throw new Error(`no turn came with ${what}; the last said: ${this.turns.at(-1)?.said}`);
        await new Promise<void>((done) => this.#waiting.add(done));
      }
    } finally {
      clearTimeout(late);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #wake(): void {
    for (const done of this.#waiting) done();
    this.#waiting.clear();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const path = (request.url ?? '').split('?')[0];
    if (path?.endsWith('/count_tokens') === true) return json(response, { input_tokens: 10 });
    if (path !== '/v1/messages') return json(response, {}, request.method === 'HEAD' ? 200 : 404);
    const asked = JSON.parse(Buffer.concat(chunks).toString()) as Request;
    const message = messageOf(asked, await this.#decide(asked), this.turns.length);
    if (asked.stream === true) stream(response, message);
    else json(response, message);
  }

  /** Requests without tools are the host's own, for titles and the like. */
  async #decide(asked: Request): Promise<Answer> {
    if (asked.tools === undefined || asked.tools.length === 0) return { say: 'A chat' };
    const turn = turnOf(asked);
    this.turns.push(turn);
    this.#wake();
    return this.answer(turn);
  }
}

function turnOf({ messages = [], tools = [] }: Request): Turn {
  const since = messages.slice(messages.findLastIndex(({ role }) => role === 'assistant') + 1);
  const blocks = since.flatMap(({ content }) =>
    typeof content === 'string' ? [{ type: 'text', text: content }] : content,
  );
  return {
    said: blocks.flatMap(({ type, text }) => (type === 'text' ? [text ?? ''] : [])).join('\n'),
    results: blocks.filter(({ type }) => type === 'tool_result').map(({ content }) => textOf(content)),
    everything: JSON.stringify(messages),
    tools: tools.map(({ name }) => name),
  };
}

const textOf = (content: Block['content']): string =>
  typeof content === 'string' || content === undefined
    ? (content ?? '')
    : content.map((block) => block.text ?? `<${block.type}>`).join('\n');

function messageOf(asked: Request, answer: Answer, count: number) {
  const block =
    'say' in answer
      ? { type: 'text' as const, text: answer.say }
      : { type: 'tool_use' as const, id: `toolu_${count}_${Date.now()}`, name: answer.call, input: answer.input };
  return {
    id: `msg_${count}`,
    type: 'message',
    role: 'assistant',
    model: asked.model,
    content: [block],
    stop_reason: block.type === 'text' ? 'end_turn' : 'tool_use',
    stop_sequence: null,
    usage: { input_tokens: 10, output_tokens: 5, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
  };
}

function json(response: ServerResponse, value: object, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

/** As the API streams a message of one block. */
function stream(response: ServerResponse, message: ReturnType<typeof messageOf>): void {
  const [block] = message.content;
  const event = (type: string, more: object) =>
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`);
  const [start, delta] =
    block!.type === 'text'
      ? [
          { ...block!, text: '' },
          { type: 'text_delta', text: block!.text },
        ]
      : [
          { ...block!, input: {} },
          { type: 'input_json_delta', partial_json: JSON.stringify(block!.input) },
        ];
  response.writeHead(200, { 'content-type': 'text/event-stream', 'request-id': message.id });
  event('message_start', { message: { ...message, content: [], stop_reason: null } });
  event('content_block_start', { index: 0, content_block: start });
  event('content_block_delta', { index: 0, delta });
  event('content_block_stop', { index: 0 });
  event('message_delta', {
    delta: { stop_reason: message.stop_reason, stop_sequence: null },
    usage: { output_tokens: 5 },
  });
  event('message_stop', {});
  response.end();
}
