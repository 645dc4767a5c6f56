import * as http2 from 'node:http2';
import { fromBinary } from '@bufbuild/protobuf';
import { Code, ConnectError } from '@connectrpc/connect';
import { encodeEnvelope } from '@connectrpc/connect/protocol';
import { endStreamFromJson, errorFromJsonBytes } from '@connectrpc/connect/protocol-connect';
import { findTrailerError } from '@connectrpc/connect/protocol-grpc';
import { trailerParse } from '@connectrpc/connect/protocol-grpc-web';
import { ProblemSchema, Reason } from '#gen/agentworks/common/v1/problem_pb.ts';

/** The ways to say the same over HTTP. */

export type Protocol = 'connect' | 'connect-stream' | 'grpc' | 'grpc-web';
type Encoding = 'json' | 'proto';

export interface Raw {
  readonly protocol: Protocol;
  readonly encoding?: Encoding;
  readonly path: string;
  readonly body: Uint8Array | string;
  readonly headers?: Record<string, string>;
  readonly method?: string;
}

export interface Answered {
  readonly status: number;
  readonly headers: http2.IncomingHttpHeaders;
  /** The code of the protocol, and the reason, subject and bound of the Problem that came with it. */
  readonly refusal:
    | { readonly code: Code; readonly reason: Reason; readonly subject: string; readonly bound: number }
    | undefined;
  readonly sentence: string;
}

/** Over HTTP/2, as bytes: what no client library would send, and what every one of them would see. */
export async function rawCall(
  url: string,
  { protocol, encoding = 'json', path, body, headers, method = 'POST' }: Raw,
): Promise<Answered> {
  const types: Record<Protocol, string> = {
    connect: `application/${encoding}`,
    'connect-stream': `application/connect+${encoding}`,
    grpc: `application/grpc+${encoding}`,
    'grpc-web': `application/grpc-web+${encoding}`,
  };
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const sent = protocol === 'connect' ? bytes : encodeEnvelope(0, bytes);
  const answer = await exchange(
    url,
    { ':method': method, ':path': path, 'content-type': types[protocol], te: 'trailers', ...headers },
    sent,
  );
  const error = errorIn(protocol, answer);
  const detail = error?.details.find((each) => 'type' in each && each.type === ProblemSchema.typeName);
  const problem =
    detail !== undefined && 'value' in detail ? fromBinary(ProblemSchema, detail.value as Uint8Array) : undefined;
  if (error !== undefined && problem === undefined)
    throw new Error(`no Problem came with ${Code[error.code]}: ${error.rawMessage}`);
  return {
    status: Number(answer.headers[':status']),
    headers: answer.headers,
    sentence: problem?.sentence ?? '',
    refusal: problem && {
      code: error!.code,
      reason: problem.reason,
      subject: problem.subject,
      bound: Number(problem.bound),
    },
  };
}

interface Exchange {
  readonly headers: http2.IncomingHttpHeaders & http2.IncomingHttpStatusHeader;
  readonly trailers: http2.IncomingHttpHeaders;
  readonly body: Buffer;
}

function exchange(url: string, headers: http2.OutgoingHttpHeaders, body: Uint8Array): Promise<Exchange> {
  return new Promise((done, failed) => {
    const session = http2.connect(url).on('error', failed);
    const stream = session.request(headers).on('error', failed);
    let answered: Exchange['headers'] = {};
    let trailers: http2.IncomingHttpHeaders = {};
    const chunks: Buffer[] = [];
    stream.on('response', (got) => (answered = got));
    stream.on('trailers', (got) => (trailers = got));
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () => {
      session.destroy();
      done({ headers: answered, trailers, body: Buffer.concat(chunks) });
    });
    stream.end(body);
  });
}

function errorIn(protocol: Protocol, { headers, trailers, body }: Exchange): ConnectError | undefined {
  switch (protocol) {
    case 'connect':
      if (headers[':status'] === 200) return undefined;
      return errorFromJsonBytes(body, undefined, new ConnectError(`not JSON: ${body.toString()}`, Code.Unknown));
    case 'grpc':
      return findTrailerError(new Headers(Object.entries(trailers) as [string, string][]));
    case 'grpc-web':
      return findTrailerError(trailerParse(lastEnvelope(body)));
    case 'connect-stream':
      return endStreamFromJson(lastEnvelope(body)).error;
  }
}

function lastEnvelope(body: Buffer): Uint8Array {
  let at = 0;
  for (let next = at; next < body.length; next += 5 + body.readUInt32BE(next + 1)) at = next;
  return body.subarray(at + 5);
}
