import type { Http2ServerRequest, ServerHttp2Stream } from 'node:http2';
import {
  create,
  type DescMethodUnary,
  type DescService,
  fromBinary,
  isMessage,
  type Message,
  toBinary,
} from '@bufbuild/protobuf';
import {
  Code,
  ConnectError,
  type ConnectRouter,
  type ContextValues,
  type HandlerContext,
  type Interceptor,
  type UnaryRequest,
  type UnaryResponse,
} from '@connectrpc/connect';
import { setTrailerStatus } from '@connectrpc/connect/protocol-grpc';
import { isTimeout, timeoutMs, timeoutOf } from './deadline.ts';
import type { NodeRequest } from './request-rules.ts';

const HEAD = 5;
const TYPE = /^application\/grpc(?:\+proto)?$/;

type Verb = (message: Message, context: HandlerContext) => Promise<Message> | Message;
type Next = (request: UnaryRequest) => Promise<UnaryResponse>;

/**
 * A unary call of native gRPC in its usual form costs Connect twice what our own work costs: a dozen async iterators, three
 * Headers and an aborted signal each. This answers it with the same verbs behind the same interceptors; whatever is
 * unusual (compression, a browser, bytes that do not parse) is Connect's, so that there is one place that refuses.
 */
export class Lane {
  readonly #method: DescMethodUnary;
  readonly #chain: Next;

  constructor(method: DescMethodUnary, verb: Verb, interceptors: readonly Interceptor[]) {
    this.#method = method;
    const last: Next = async (request) => {
      const said = await verb(request.message, new LaneContext(request) as unknown as HandlerContext);
      const message = isMessage(said, method.output) ? said : create(method.output, said);
      const header = new Headers();
      return { stream: false, service: method.parent, method, header, trailer: header, message };
    };
    this.#chain = interceptors.reduceRight<Next>((next, each) => each(next as never) as never, last);
  }

  /** Nothing when the bytes are not one plain message. */
  read(body: Buffer): Message | undefined {
    if (body.length < HEAD || body[0] !== 0 || body.readUInt32BE(1) !== body.length - HEAD) return undefined;
    try {
      return fromBinary(this.#method.input, body.subarray(HEAD));
    } catch {
      return undefined;
    }
  }

  async answer(
    { stream, url, headers }: Http2ServerRequest,
    message: Message,
    contextValues: ContextValues,
    draining: AbortSignal,
  ): Promise<void> {
    const { parent: service } = this.#method;
    const call = new LaneCall(stream, headers.authorization, draining, deadlineOf(timeoutOf(headers)));
    const common = { stream: false, service, method: this.#method, requestMethod: 'POST', contextValues } as const;
    try {
      const { header, message: said } = await this.#chain(
        Object.assign(call, common, { url: `http://localhost${url}`, message }),
      );
      write(
        stream,
        header,
        new Headers({ 'grpc-status': '0' }),
        framed(toBinary(this.#method.output, said as Message)),
      );
    } catch (error) {
      const refusal = error instanceof ConnectError ? error : new ConnectError('internal error', Code.Internal);
      write(stream, new Headers(), setTrailerStatus(new Headers(), refusal));
    }
  }
}

/** What interceptors and verbs see of a call; a signal is made only for whoever asks for it. */
class LaneCall {
  readonly header: Headers;
  readonly #stream: ServerHttp2Stream;
  readonly #draining: AbortSignal;
  readonly #deadline: number | undefined;
  #signal: AbortSignal | undefined;

  constructor(
    stream: ServerHttp2Stream,
    authorization: string | undefined,
    draining: AbortSignal,
    deadline: number | undefined,
  ) {
    this.header = new Headers(authorization === undefined ? {} : { authorization });
    this.#stream = stream;
    this.#draining = draining;
    this.#deadline = deadline;
  }

  get signal(): AbortSignal {
    if (this.#signal !== undefined) return this.#signal;
    const left = new AbortController();
    if (this.#stream.closed) left.abort();
    else this.#stream.once('close', () => left.abort());
    const ends = [left.signal, this.#draining];
    if (this.#deadline !== undefined)
      ends.push(AbortSignal.timeout(Math.max(0, Math.ceil(this.#deadline - performance.now()))));
    return (this.#signal = AbortSignal.any(ends));
  }
}

class LaneContext {
  readonly values: ContextValues;
  readonly #request: UnaryRequest;

  constructor(request: UnaryRequest) {
    this.values = request.contextValues;
    this.#request = request;
  }

  get signal(): AbortSignal {
    return this.#request.signal;
  }
}

/** What the routes register, by path. Streams stay with Connect, where a message costs little. */
export function openLanes(routes: (router: ConnectRouter) => void, interceptors: Interceptor[]): Map<string, Lane> {
  const lanes = new Map<string, Lane>();
  const seen = {
    handlers: [],
    service(service: DescService, verbs: Record<string, Verb>) {
      for (const method of service.methods) {
        const verb = verbs[method.localName];
        if (method.methodKind === 'unary' && verb !== undefined)
          lanes.set(
            `/${service.typeName}/${method.name}`,
            new Lane(method as DescMethodUnary, verb.bind(verbs), interceptors),
          );
      }
      return seen;
    },
  };
  routes(seen as unknown as ConnectRouter);
  return lanes;
}

export const isUsual = (request: NodeRequest): request is Http2ServerRequest =>
  'stream' in request &&
  request.method === 'POST' &&
  TYPE.test(request.headers['content-type'] ?? '') &&
  request.headers.origin === undefined &&
  isTimeout(timeoutOf(request.headers) ?? '1S') &&
  (request.headers['grpc-encoding'] ?? 'identity') === 'identity';

/** On the clock of `performance.now()`. */
function deadlineOf(timeout: string | undefined): number | undefined {
  const ms = timeoutMs(timeout);
  return ms === undefined ? undefined : performance.now() + ms;
}

/** The whole body, or the beginning of one that is too long. */
export function readBody(stream: ServerHttp2Stream, mostBytes: number): Promise<Buffer> {
  // One without a byte ends before anybody listens.
  if (stream.readableEnded) return Promise.resolve(Buffer.alloc(0));
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const done = () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks));
    stream.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size > mostBytes + HEAD) done();
    });
    stream.on('end', done).on('error', reject);
    stream.on('close', () => reject(new Error('the caller left')));
  });
}

function framed(bytes: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(HEAD + bytes.length);
  frame[0] = 0;
  frame.writeUInt32BE(bytes.length, 1);
  frame.set(bytes, HEAD);
  return frame;
}

function write(stream: ServerHttp2Stream, header: Headers, trailer: Headers, body?: Buffer): void {
  if (stream.destroyed) return;
  // Node's own sends none, and would be first.
  stream.removeAllListeners('wantTrailers');
  stream.once('wantTrailers', () => stream.sendTrailers(Object.fromEntries(trailer)));
  stream.respond(
    { ':status': 200, 'content-type': 'application/grpc+proto', ...Object.fromEntries(header) },
    { waitForTrailers: true },
  );
  stream.end(body);
}
