import type { ServerResponse } from 'node:http';
import type { Http2ServerResponse } from 'node:http2';
import { cors } from '@connectrpc/connect';
import { isListed, type NodeRequest, originOf, type Rules } from './request-rules.ts';

export type NodeResponse = ServerResponse | Http2ServerResponse;

const ALLOWED = [...cors.allowedHeaders, 'Authorization'].join(', ');
const EXPOSED = [...cors.exposedHeaders, 'X-Request-Id'].join(', ');
const REMEMBERED_SECONDS = '600';

/** Lets pages of the listed origins read our answers; whoever is not listed was refused before. */
export function allowOrigin(rules: Rules, request: NodeRequest, response: NodeResponse): void {
  response.setHeader('Vary', 'Origin');
  const origin = originOf(request);
  if (origin === undefined || !isListed(rules, origin)) return;
  response.setHeader('Access-Control-Allow-Origin', origin);
  response.setHeader('Access-Control-Expose-Headers', EXPOSED);
}

/** The question a browser asks before it calls another site. */
export function answerPreflight(request: NodeRequest, response: NodeResponse): void {
  response.setHeader('Access-Control-Allow-Methods', 'POST');
  response.setHeader('Access-Control-Allow-Headers', ALLOWED);
  response.setHeader('Access-Control-Max-Age', REMEMBERED_SECONDS);
  // A page of the web asks once more before it calls into a private network.
  if (request.headers['access-control-request-private-network'] === 'true')
    response.setHeader('Access-Control-Allow-Private-Network', 'true');
  response.statusCode = 204;
  response.end();
}
