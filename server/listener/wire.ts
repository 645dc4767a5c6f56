import { Code, ConnectError } from '@connectrpc/connect';
import {
  createAsyncIterable,
  encodeEnvelope,
  readAllBytes,
  type UniversalServerResponse,
} from '@connectrpc/connect/protocol';
import {
  codeToHttpStatus,
  createEndStreamSerialization,
  endStreamFlag,
  errorFromJsonBytes,
  errorToJsonBytes,
} from '@connectrpc/connect/protocol-connect';
import { findTrailerError, grpcStatusOk, headerGrpcStatus, setTrailerStatus } from '@connectrpc/connect/protocol-grpc';
import { trailerFlag, trailerParse, trailerSerialize } from '@connectrpc/connect/protocol-grpc-web';

/** How one protocol says that a call was refused, and how what Connect said in it becomes what we say. */
interface Wire {
  /** `status` is for protocols that have one of their own; it follows from the error otherwise. */
  refuse(error: ConnectError, status?: number): UniversalServerResponse;
  amend(
    response: UniversalServerResponse,
    explain: Explain,
  ): UniversalServerResponse | Promise<UniversalServerResponse>;
}

/** The error itself when it says already why. */
type Explain = (error: ConnectError) => ConnectError;

export function wireOf(contentType: string | undefined): Wire {
  const [, name, encoding = 'proto'] =
    /^application\/(grpc-web|grpc|connect)(?:\+(json|proto))?(?=;|$)/i.exec(contentType ?? '') ?? [];
  switch (name?.toLowerCase()) {
    case 'grpc':
      return grpc(`application/grpc+${encoding}`);
    case 'grpc-web':
      return enveloped(`application/grpc-web+${encoding}`, trailerFlag, amendedTrailer, (error) =>
        trailerSerialize(setTrailerStatus(new Headers(), error)),
      );
    case 'connect':
      return enveloped(`application/connect+${encoding}`, endStreamFlag, amendedEnd, (error) =>
        ends.serialize({ metadata: new Headers(), error }),
      );
    default:
      return unary;
  }
}

const header = (contentType: string) => new Headers({ 'content-type': contentType });

/** The status is in the trailers, which are whole when the body has ended. */
const grpc = (contentType: string): Wire => ({
  refuse: (error) => ({
    status: 200,
    header: header(contentType),
    body: createAsyncIterable([]),
    trailer: setTrailerStatus(new Headers(), error),
  }),
  amend: (response, explain) => {
    const { body, trailer } = response;
    if (body === undefined || trailer === undefined) return response;
    return {
      ...response,
      body: mapped(
        body,
        (chunk) => chunk,
        () => amendTrailer(trailer, explain),
      ),
    };
  },
});

function amendTrailer(trailer: Headers, explain: Explain): void {
  if (trailer.get(headerGrpcStatus) === grpcStatusOk) return;
  const error = findTrailerError(trailer);
  if (error === undefined) return;
  const explained = explain(error);
  if (explained !== error) setTrailerStatus(trailer, explained);
}

/** The status is the last of the body's envelopes, which has a flag of its own; Connect gives each as one chunk. */
const enveloped = (
  contentType: string,
  flag: number,
  amended: (data: Uint8Array, explain: Explain) => Uint8Array,
  write: (error: ConnectError) => Uint8Array,
): Wire => ({
  refuse: (error) => ({
    status: 200,
    header: header(contentType),
    body: createAsyncIterable([encodeEnvelope(flag, write(error))]),
  }),
  amend: (response, explain) => {
    if (response.body === undefined) return response;
    const chunk = (bytes: Uint8Array) =>
      bytes[0] === flag ? encodeEnvelope(flag, amended(bytes.subarray(5), explain)) : bytes;
    return { ...response, body: mapped(response.body, chunk, () => {}) };
  },
});

function amendedTrailer(data: Uint8Array, explain: Explain): Uint8Array {
  const trailer = trailerParse(data);
  amendTrailer(trailer, explain);
  return trailerSerialize(trailer);
}

const ends = createEndStreamSerialization(undefined);

function amendedEnd(data: Uint8Array, explain: Explain): Uint8Array {
  const { error, metadata } = ends.parse(data);
  const explained = error && explain(error);
  return explained === undefined || explained === error ? data : ends.serialize({ metadata, error: explained });
}

/** Connect's unary calls: an HTTP status, and the refusal as JSON whatever the request was. */
const unary: Wire = {
  refuse: (error, status = codeToHttpStatus(error.code)) => ({
    status,
    header: new Headers([...error.metadata, ['content-type', 'application/json']]),
    body: createAsyncIterable([errorToJsonBytes(error, undefined)]),
  }),
  amend: async (response, explain) => {
    if (response.status === 200 || response.body === undefined) return response;
    const said = await readAllBytes(response.body, Number.MAX_SAFE_INTEGER, undefined);
    const error = errorFromJsonBytes(said, undefined, new ConnectError('', Code.Unknown));
    const explained = explain(error);
    if (explained === error) return { ...response, body: createAsyncIterable([said]) };
    response.header?.delete('content-length');
    const again = unary.refuse(explained);
    return { ...again, header: new Headers([...(response.header ?? []), ...again.header!]) };
  },
};

/** The same body with each chunk looked at, and something done before it ends; errors of writing go through. */
function mapped(
  body: AsyncIterable<Uint8Array>,
  each: (chunk: Uint8Array) => Uint8Array,
  atEnd: () => void,
): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]() {
      const chunks = body[Symbol.asyncIterator]();
      return {
        async next() {
          const { done, value } = await chunks.next();
          if (done !== true) return { value: each(value) };
          atEnd();
          return { done, value: undefined };
        },
        throw: async (error) => (await chunks.throw?.(error)) ?? { done: true, value: undefined },
        return: async () => (await chunks.return?.()) ?? { done: true, value: undefined },
      };
    },
  };
}
