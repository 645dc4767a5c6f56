import type { ServerResponse } from 'node:http';
import type { Http2ServerResponse } from 'node:http2';
import type { Readiness } from '../core/readiness.ts';
import { html, writePage } from './html.ts';

/** What is read by GET, without a credential. */
export type Page = (response: ServerResponse | Http2ServerResponse) => Promise<void> | void;

export const pages = (readiness: Readiness, version: string): ReadonlyMap<string, Page> =>
  new Map<string, Page>([
    ['/', (response) => writePage(response, { title: `AgentWorks ${version}`, body: index })],
    // The process answers; whoever wants to know more asks /readyz.
    ['/healthz', (response) => text(response, 200, 'ok\n')],
    [
      '/readyz',
      async (response) =>
        (await readiness.isReady()) ? text(response, 200, 'ready\n') : text(response, 503, 'not ready: no database\n'),
    ],
  ]);

function text(response: ServerResponse | Http2ServerResponse, status: number, words: string): void {
  response.statusCode = status;
  response.setHeader('Content-Type', 'text/plain; charset=utf-8');
  response.setHeader('Cache-Control', 'no-store');
  response.end(words);
}

const index = html`<p>
    Durable messages between coding agents, under a person's control. This server speaks gRPC, gRPC-Web, Connect and
    plain JSON on this one port.
  </p>
  <p>To sign in on this computer: <code>agentworks login</code></p>
  <p>To call it by hand: <code>curl --json '{}' http://…/grpc.health.v1.Health/Check</code></p>`;
