import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type ServerHttp2Session } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Code, ConnectError, type ConnectRouter } from '@connectrpc/connect';
import { connectNodeAdapter } from '@connectrpc/connect-node';
import { ProblemSchema, Reason } from '#gen/agentworks/common/v1/problem_pb.ts';

/** A server that says what a test tells it to: for what only a client can get wrong. */
export class StubServer {
  readonly folder = mkdtempSync(join(tmpdir(), 'agentworks-stub-'));
  readonly socket = join(this.folder, 's');
  readonly #sessions = new Set<ServerHttp2Session>();
  readonly #server;

  constructor(routes: (router: ConnectRouter) => void) {
    this.#server = createServer(connectNodeAdapter({ routes }));
    this.#server.on('session', (session) => {
      this.#sessions.add(session);
      session.on('close', () => this.#sessions.delete(session));
    });
  }

  /** Listens on the Unix socket; answers its address. */
  async listen(): Promise<string> {
    await new Promise<void>((done) => this.#server.listen(this.socket, done));
    chmodSync(this.socket, 0o600);
    return `unix:${this.socket}`;
  }

  /** Listens on a port; answers its address. */
  async listenOnPort(): Promise<string> {
    await new Promise<void>((done) => this.#server.listen(0, '127.0.0.1', done));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Breaks every connection, as a server that is killed does. */
  cut(): void {
    for (const session of this.#sessions) session.destroy();
  }

  async stop(): Promise<void> {
    this.cut();
    await new Promise<void>((done) => this.#server.close(() => done()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** A refusal as the real server sends it. */
export const refusing = (reason: Reason, sentence: string, about: { subject?: string; bound?: bigint } = {}) =>
  new ConnectError(sentence, Code.InvalidArgument, undefined, [
    { desc: ProblemSchema, value: { reason, sentence, suggestions: ['bob'], ...about } },
  ]);
