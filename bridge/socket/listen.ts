import { rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { ConnectRouter } from '@connectrpc/connect';
import { connectNodeAdapter } from '@connectrpc/connect-node';
import { checkPrivateSocket } from '../account/private-file.ts';
import { bodyOf } from './body.ts';
import { explained } from './explained.ts';

/** One hook, as `curl` brought it. */
export interface HookQuestion {
  readonly provider: string;
  readonly event: string;
  /** The host process, as the hook saw it; undefined when it could not. */
  readonly hostPid: number | undefined;
  /** The host's session id, as the hook's environment has it; empty when it has none. */
  readonly sessionId: string;
  /** The hook's standard input, as it was. */
  readonly body: string;
}

/** What whoever connects can check against the record that only we could have written. */
export interface Alive {
  readonly version: string;
  readonly pid: number;
  readonly nonce: string;
}

export interface Answering {
  readonly alive: Alive;
  readonly routes: (router: ConnectRouter) => void;
  /** Answers exactly what the hook prints; empty prints nothing. */
  readonly askHook: (question: HookQuestion) => Promise<string>;
  readonly onFault: (error: unknown) => void;
}

export interface Listening {
  close(): Promise<void>;
}

/** Listens on a socket that is ours alone from its first moment. Whoever calls holds the lock of its folder. */
export async function listen(socket: string, answering: Answering): Promise<Listening> {
  const rpc = connectNodeAdapter({ routes: answering.routes, interceptors: [explained(answering.onFault)] });
  const server = createServer((request, response) => {
    void plain(request, response, answering)
      .then((isAnswered) => (isAnswered ? undefined : rpc(request, response)))
      .catch((error: unknown) => {
        answering.onFault(error);
        if (response.headersSent) response.destroy();
        else response.writeHead(500).end();
      });
  });
  rmSync(socket, { force: true });
  const before = process.umask(0o177);
  try {
    await new Promise<void>((done, failed) => {
      server.once('error', failed);
      // Binds before it returns, so that no other file is made under this umask.
      server.listen(socket, done);
      process.umask(before);
    });
  } finally {
    process.umask(before);
  }
  checkPrivateSocket(socket);
  return {
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

/** Answers what is no RPC; false leaves the request to the RPCs. */
async function plain(request: IncomingMessage, response: ServerResponse, answering: Answering): Promise<boolean> {
  const path = request.url ?? '';
  if (request.method === 'GET' && path === '/alive') {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answering.alive));
    return true;
  }
  const [, provider, event] = /^\/hooks\/([a-z-]{1,32})\/([A-Za-z-]{1,64})$/.exec(path) ?? [];
  if (request.method !== 'POST' || provider === undefined || event === undefined) return false;
  const hostPid = Number(request.headers['x-host-pid']);
  const sessionId = request.headers['x-session-id'];
  const output = await answering.askHook({
    provider,
    event,
    hostPid: Number.isSafeInteger(hostPid) && hostPid > 1 ? hostPid : undefined,
    sessionId: typeof sessionId === 'string' ? sessionId : '',
    body: await bodyOf(request),
  });
  response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' }).end(output);
  return true;
}
