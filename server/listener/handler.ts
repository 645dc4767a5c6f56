import type { ServerHttp2Stream } from 'node:http2';
import { type ConnectRouter, type ContextValues, createConnectRouter, type Interceptor } from '@connectrpc/connect';
import {
  compressionGzip,
  universalRequestFromNodeRequest,
  universalResponseToNodeResponse,
} from '@connectrpc/connect-node';
import { createAsyncIterable, type UniversalHandler, type UniversalServerResponse } from '@connectrpc/connect/protocol';
import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import { limits } from '../core/limits.ts';
import type { Log } from '../core/log.ts';
import { nearNames } from '../core/near.ts';
import { Problem } from '../core/problem.ts';
import type { Page } from '../http/pages.ts';
import type { SiteAt } from '../http/site.ts';
import { answer } from '../rpc/answer.ts';
import { type Enter, type Entrance, entranceKey } from '../rpc/entrance.ts';
import { explained } from '../rpc/problems.ts';
import { allowOrigin, answerPreflight, type NodeResponse } from './cors.ts';
import { dropEndless } from './deadline.ts';
import { JsonText } from './json-text.ts';
import { isUsual, openLanes, readBody } from './lane.ts';
import { type Foreign, foreignTo, type NodeRequest, type Rules } from './request-rules.ts';
import { wireOf } from './wire.ts';

export interface Answering {
  readonly rules: Rules;
  readonly log: Log;
  readonly routes: (router: ConnectRouter) => void;
  readonly interceptors: Interceptor[];
  /** Asks who calls, from the headers alone. */
  readonly enter: Enter;
  readonly pages: ReadonlyMap<string, Page>;
  /** For whoever has no good credential: where to get one, as WWW-Authenticate says it. */
  readonly challenge: string;
  /** What else is answered over plain HTTP. */
  readonly siteAt: SiteAt;
  /** Aborts when the server begins to stop. */
  readonly draining: AbortSignal;
  /** What a verb may want to know of the connection. */
  readonly contextOf: (connection: { isSocket: boolean; remoteAddress: string | undefined }) => ContextValues;
}

/** `isSocket`: the connection came by our own Unix socket. */
export type Handler = (request: NodeRequest, response: NodeResponse, isSocket: boolean) => void;

/** Everything that is answered over HTTP, in the order in which it is judged: who asks, then what for. */
export function createHandler(answering: Answering): Handler {
  const { rules, log, pages, siteAt, contextOf, draining, enter } = answering;
  const rpcs = rpcsOf(answering);
  const lanes = openLanes(answering.routes, answering.interceptors);

  async function call(
    request: NodeRequest,
    response: NodeResponse,
    path: string,
    isSocket: boolean,
    foreign: Foreign | undefined,
  ): Promise<UniversalServerResponse | undefined> {
    const wire = wireOf(request.headers['content-type']);
    if (foreign !== undefined) return wire.refuse(answer(foreign.problem), foreign.status);
    const rpc = request.method === 'POST' ? rpcs.get(path) : undefined;
    if (rpc === undefined) return wire.refuse(answer(unknown(path, rpcs)), 404);
    const explain = explained(log, path.slice(1));
    let entered: Entrance;
    try {
      entered = await enter(rpc.method, request.headers.authorization);
    } catch (error) {
      return wire.refuse(explain(error));
    }
    using entrance = entered;
    if (hasLeft(request, response)) throw new Error('the caller left');
    const context = contextOf({ isSocket, remoteAddress: request.socket.remoteAddress }).set(entranceKey, entrance);
    const lane = lanes.get(path);
    let body: Buffer | undefined;
    if (lane !== undefined && isUsual(request)) {
      body = await readBody(request.stream, limits.requestBytes.max);
      const message = lane.read(body);
      if (message !== undefined) {
        await lane.answer(request, message, context, draining);
        return undefined;
      }
    }
    const asked = universalRequestFromNodeRequest(request, response, undefined, context);
    dropEndless(asked.header);
    const answered = await rpc(body === undefined ? asked : { ...asked, body: createAsyncIterable([body]) });
    const refusal = unanswered[answered.status];
    if (refusal !== undefined) return wire.refuse(answer(refusal), answered.status);
    return wire.amend(answered, explain);
  }

  async function respond(request: NodeRequest, response: NodeResponse, isSocket: boolean): Promise<void> {
    const path = request.url?.split('?', 1)[0] ?? '';
    allowOrigin(rules, request, response);
    const site = siteAt(path);
    const foreign = foreignTo(rules, request, site?.types);
    if (foreign === undefined) {
      if (request.method === 'OPTIONS') return answerPreflight(request, response);
      const page = request.method === 'POST' ? undefined : pages.get(path);
      if (page !== undefined) return page(response);
      if (site !== undefined) {
        if ('stream' in request) dropUnread(request.stream);
        return site.answer(request, response);
      }
    }
    const answered = await call(request, response, path, isSocket, foreign);
    if ('stream' in request) dropUnread(request.stream);
    if (answered?.status === 401) answered.header?.set('www-authenticate', answering.challenge);
    if (answered !== undefined) await universalResponseToNodeResponse(answered, response);
  }

  return (request, response, isSocket) =>
    void respond(request, response, isSocket).catch((error: unknown) => {
      // Everything else was answered with a refusal: the caller went away.
      log.debug({ event: 'http.broken_off', path: request.url?.split('?', 1)[0], err: error });
      response.destroy();
    });
}

/** A stream that is over stays open, and keeps its part of the window, until somebody took the rest of what was sent. */
const dropUnread = (stream: ServerHttp2Stream): void =>
  void stream.once('wantTrailers', () => stream.removeAllListeners('data').resume());

/** What is told of once only would be missed by whoever begins to listen for it later. */
const hasLeft = (request: NodeRequest, response: NodeResponse): boolean =>
  'stream' in request ? request.stream.closed || request.stream.destroyed : response.destroyed;

function rpcsOf({ routes, interceptors, draining }: Answering): ReadonlyMap<string, UniversalHandler> {
  const router = createConnectRouter({
    interceptors,
    shutdownSignal: draining,
    readMaxBytes: limits.requestBytes.max,
    // Requests may be compressed. Answers are not: at 4 KB a message it costs five times the work of sending it as it is.
    acceptCompression: [compressionGzip],
    compressMinBytes: 2 ** 32 - 1,
    // A misspelt `submision_id` that is accepted makes every retry a second message.
    jsonOptions: { ignoreUnknownFields: false, textDecoder: new JsonText() } as object,
  });
  routes(router);
  return new Map(router.handlers.map((handler) => [handler.requestPath, handler]));
}

/** What Connect answers with a bare status. */
const unanswered: Partial<Record<number, Problem>> = {
  405: new Problem(Reason.MALFORMED, 'RPCs are called by POST', { subject: 'method' }),
  415: new Problem(
    Reason.MALFORMED,
    'the content type does not suit this RPC; unary calls take application/json or application/proto, streams application/connect+json or application/connect+proto',
    { subject: 'content-type' },
  ),
  505: new Problem(Reason.MALFORMED, 'this RPC streams both ways, which needs HTTP/2', { subject: 'http-version' }),
};

function unknown(path: string, rpcs: ReadonlyMap<string, unknown>): Problem {
  const [service = '', method = ''] = path.slice(1).split('/');
  const ofService = [...rpcs.keys()].filter((known) => known.startsWith(`/${service}/`));
  const suggestions = nearNames(
    method,
    ofService.map((known) => known.split('/')[2]!),
  );
  const hint = suggestions.length > 0 ? `; did you mean ${suggestions.join(' or ')}?` : '; reflection lists the RPCs';
  const name = path.slice(0, 200);
  if (rpcs.has(path)) return new Problem(Reason.UNKNOWN_RPC, `${name} is called by POST`, { subject: name });
  return new Problem(Reason.UNKNOWN_RPC, `there is no ${name} here${hint}`, { subject: name, suggestions });
}
