import { createServer, type IncomingMessage, request as ask, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A balancer that hands each request to a server of its choice: to another one than the last. */
export class Router implements AsyncDisposable {
  readonly url: string;
  readonly servers: string[] = [];
  /** Answers some requests itself; says whether it did. */
  answers: (request: IncomingMessage, response: ServerResponse) => boolean = () => false;
  readonly #server: Server;
  #asked = 0;

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  static async open(): Promise<Router> {
    const server = createServer();
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const router = new Router(server);
    server.on('request', (request, response) => {
      if (router.answers(request, response)) return;
      const { port } = new URL(router.servers[router.#asked++ % router.servers.length]!);
      const { method, url: path, headers } = request;
      const onward = ask({ port, method, path, headers, agent: false }, (answer) => {
        response.writeHead(answer.statusCode!, { ...answer.headers, connection: 'close' });
        answer.pipe(response);
      });
      onward.on('error', () => response.destroy());
      request.pipe(onward);
    });
    return router;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((done) => this.#server.close(done));
  }
}
