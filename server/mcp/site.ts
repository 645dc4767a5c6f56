import { createMcpHandler, type McpServerFactory } from '@modelcontextprotocol/server';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { signedOut } from '../access/known.ts';
import { bearer, type Callers } from '../access/resolve-caller.ts';
import { limits } from '../core/limits.ts';
import type { Log } from '../core/log.ts';
import { problemShown } from './result.ts';
import type { Site, SiteAt, SiteRequest, SiteResponse } from '../http/site.ts';

export interface McpSiteDeps {
  readonly callers: Pick<Callers, 'enter'>;
  readonly servers: McpServerFactory;
  /** For WWW-Authenticate of whoever has no good credential. */
  readonly challenge: (refusal?: { readonly error: 'invalid_token' }) => string;
  readonly log: Log;
  /** Aborts when the server begins to stop: subscriptions end. */
  readonly draining: AbortSignal;
}

const PATH = '/mcp';
const JSON_TYPE = /^application\/json(?: *; *charset="?utf-?8"?)?$/i;
const maxRequestBodySize = limits.requestBytes.max;

/** The MCP endpoint: stateless, so that any server answers any request, before and after a restart (GTW-1). */
export function mcpSite({ callers, servers, challenge, log, draining }: McpSiteDeps): SiteAt {
  const onerror = (error: Error) => log.debug({ event: 'mcp.refused', err: error });
  const handler = createMcpHandler(servers, { onerror, maxRequestBodySize });
  draining.addEventListener('abort', () => void handler.close(), { once: true });
  const answer = toNodeHandler(handler, { onerror, maxRequestBodySize });

  async function authorized(request: SiteRequest, response: SiteResponse): Promise<string | undefined> {
    const secret = bearer(request.headers.authorization ?? null);
    const entry = secret === undefined ? undefined : await callers.enter(secret);
    entry?.right[Symbol.dispose]();
    if (entry !== undefined) return secret;
    response.statusCode = 401;
    response.setHeader('WWW-Authenticate', challenge(secret === undefined ? undefined : { error: 'invalid_token' }));
    response.setHeader('Content-Type', 'application/json');
    response.setHeader('Cache-Control', 'no-store');
    response.end(JSON.stringify(signedOutAnswer));
    return undefined;
  }

  const site: Site = {
    types: JSON_TYPE,
    async answer(request, response) {
      const token = await authorized(request, response);
      if (token === undefined) return;
      response.setHeader('X-Accel-Buffering', 'no');
      response.setHeader('Cache-Control', 'no-store');
      // The header that says who asks; each tool call is judged by it anew.
      const auth = { token, clientId: '', scopes: [] };
      await answer(Object.assign(request, { auth, method: request.method ?? '', url: request.url ?? '' }), response);
    },
  };
  return (path) => (path === PATH ? site : undefined);
}

const refusal = signedOut();
const signedOutAnswer = {
  jsonrpc: '2.0',
  id: null,
  error: { code: -32001, message: refusal.message, data: problemShown(refusal) },
};
