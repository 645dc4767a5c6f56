import { connect } from 'node:net';
import type { DescMessage } from '@bufbuild/protobuf';
import type { Interceptor, Transport } from '@connectrpc/connect';
import { createGrpcTransport, Http2SessionManager } from '@connectrpc/connect-node';
import { Refusal, refusalOf } from './refusal.ts';
import { checkRequest } from './request.ts';
import { isSecret } from './secret.ts';

/** Which server, and with which credential. */
export interface Destination {
  /** `unix:/path/to/socket`, `https://host:port` or `http://host:port`. */
  readonly address: string;
  /** Bearer secret; absent for calls that answer nobody. */
  readonly secret?: string | undefined;
  /** Sends the secret over `http://` all the same. Whoever listens on that port then has it. */
  readonly plaintext?: boolean;
}

export interface OpenTransport {
  readonly transport: Transport;
  /** Ends every call and lets the process end. */
  readonly close: () => void;
}

/** Above the longest wait of a read (25 s), so that the server's own answer comes first. */
const UNARY_MS = 35_000;

/** A dead connection is noticed within 20 s even when nothing is said on it. */
const keepAlive = { pingIntervalMs: 12_000, pingTimeoutMs: 6_000, connectTimeoutMs: 8_000 };

/** gRPC over one HTTP/2 connection; no compression, which costs more than it saves here. */
export function openTransport(destination: Destination): OpenTransport {
  const { address, secret } = destination;
  if (secret !== undefined && !isSecret(secret))
    throw new Refusal('BAD_FIELD', 'The secret is not one of ours: it holds what no secret does.', {
      subject: 'secret',
    });
  const { baseUrl, socket } = place(destination);
  const manager = new Http2SessionManager(
    baseUrl,
    keepAlive,
    socket === undefined ? {} : { createConnection: () => connect(socket) },
  );
  const transport = createGrpcTransport({
    baseUrl,
    sessionManager: manager,
    acceptCompression: [],
    interceptors: secret === undefined ? [] : [signed(secret)],
  });
  return { transport: refusing(transport, address), close: () => manager.abort() };
}

function place({ address, secret, plaintext }: Destination): { baseUrl: string; socket?: string } {
  if (address.startsWith('unix:/')) return { baseUrl: 'http://localhost', socket: address.slice('unix:'.length) };
  if (/^https?:\/\/./.test(address) && URL.canParse(address)) {
    if (address.startsWith('http:') && secret !== undefined && plaintext !== true) throw insecure(address);
    return { baseUrl: address };
  }
  const sentence = `${address} is no address; write unix:/path/to/socket, https://host:port or http://host:port.`;
  throw new Refusal('BAD_FIELD', sentence, { subject: 'address' });
}

const insecure = (address: string): Refusal =>
  new Refusal(
    'NOT_ALLOWED',
    `${address} is plaintext and proves nothing about who listens there, so no credential is sent to it. Use the server's Unix socket (unix:/path), https://, or ask for it by name with \`plaintext: true\`.`,
    { subject: 'address' },
  );

const signed =
  (secret: string): Interceptor =>
  (next) =>
  (request) => {
    request.header.set('authorization', `Bearer ${secret}`);
    return next(request);
  };

/** What a header of gRPC holds, 27 hours in milliseconds; more is refused by the server, and a timer fires at once for a month. */
const held = (ms: number): number => Math.min(ms, 99_999_999);

/** Checks what goes out, bounds how long a single answer may take, and turns every failure into a Refusal. */
const refusing = (inner: Transport, address: string): Transport => ({
  async unary(method, signal, timeoutMs, header, input, contextValues) {
    try {
      checkRequest(method.input, input);
      return await inner.unary(method, signal, held(timeoutMs ?? UNARY_MS), header, input, contextValues);
    } catch (error) {
      throw refusalOf(error, address, signal);
    }
  },
  async stream(method, signal, timeoutMs, header, input, contextValues) {
    try {
      const response = await inner.stream(
        method,
        signal,
        timeoutMs && held(timeoutMs),
        header,
        checked(method.input, input),
        contextValues,
      );
      return { ...response, message: each(response.message, address, signal) };
    } catch (error) {
      throw refusalOf(error, address, signal);
    }
  },
});

async function* checked<T>(desc: DescMessage, input: AsyncIterable<T>): AsyncIterable<T> {
  for await (const message of input) {
    checkRequest(desc, message);
    yield message;
  }
}

async function* each<T>(messages: AsyncIterable<T>, address: string, signal?: AbortSignal): AsyncIterable<T> {
  try {
    yield* messages;
  } catch (error) {
    throw refusalOf(error, address, signal);
  }
}
