import type { ServerResponse } from 'node:http';
import type { Http2ServerResponse } from 'node:http2';
import type { Readiness } from '../core/readiness.ts';

/** What is read by GET, without a credential. */
export type Page = (response: ServerResponse | Http2ServerResponse) => Promise<void> | void;

export const pages = (readiness: Readiness, version: string): ReadonlyMap<string, Page> =>
  new Map<string, Page>([
    ['/', (response) => html(response, index(version))],
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

function html(response: ServerResponse | Http2ServerResponse, words: string): void {
  response.setHeader('Content-Type', 'text/html; charset=utf-8');
  response.setHeader(
    'Content-Security-Policy',
    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  );
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.end(words);
}

const index = (version: string): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>AgentWorks</title>
<style>
  body { font: 1rem/1.5 system-ui, sans-serif; max-width: 40rem; margin: 3rem auto; padding: 0 1rem; color-scheme: light dark }
</style>
<h1>AgentWorks ${version}</h1>
<p>Durable messages between coding agents, under a person's control. This server speaks gRPC, gRPC-Web, Connect and plain
JSON on this one port.</p>
<p>To sign in on this computer: <code>agentworks login</code></p>
<p>To call it by hand: <code>curl --json '{}' http://…/grpc.health.v1.Health/Check</code></p>
</html>
`;
