import type { Provider } from 'oidc-provider';
import type { Log } from '../core/log.ts';
import { writePage } from '../http/html.ts';
import type { Site, SiteAt, SiteRequest, SiteResponse } from '../http/site.ts';
import type { Answer } from './question.ts';
import { metadataPaths, protectedResource } from './metadata.ts';
import { problemPage } from './pages/device.ts';
import { paths } from './paths.ts';
import type { Registrations } from './registrations.ts';

interface SiteDeps {
  readonly provider: Provider;
  readonly publicUrl: string;
  readonly log: Log;
  readonly answerQuestion: Answer;
  readonly registrations: Registrations;
}

const FORMS = /^application\/x-www-form-urlencoded(?: *; *charset="?utf-?8"?)?$/i;
const JSONS = /^application\/json(?: *; *charset="?utf-?8"?)?$/i;

/** The paths of the authorization server; no other path reaches the library. */
export function oauthSites(deps: SiteDeps): SiteAt {
  const { provider, publicUrl, registrations } = deps;
  const callback = provider.callback();
  const library = async (request: SiteRequest, response: SiteResponse): Promise<void> => {
    response.setHeader('Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'; base-uri 'none'");
    response.setHeader('X-Content-Type-Options', 'nosniff');
    // A body of HTTP/2 needs neither of the two headers by which the library knows that there is one.
    if (request.method === 'POST' && request.headers['content-length'] === undefined)
      request.headers['transfer-encoding'] ??= 'chunked';
    await callback(request, response);
  };
  const forms = (answer: Site['answer']): Site => ({ types: FORMS, answer: guarded(deps, answer) });
  const metadata = forms(async (_request, response) => json(response, protectedResource(publicUrl)));
  const discovery = forms(library);
  const question = forms(deps.answerQuestion);
  const sites = new Map<string, Site>([
    ...metadataPaths.map((path) => [path, metadata] as const),
    ['/.well-known/oauth-authorization-server', discovery],
    ['/.well-known/openid-configuration', discovery],
    [paths.authorization, forms(library)],
    [paths.token, forms(library)],
    [paths.revocation, forms(library)],
    [paths.jwks, forms(library)],
    [paths.device_authorization, forms(library)],
    [paths.code_verification, forms((request, response) => library(withoutCode(request), response))],
    [
      paths.registration,
      {
        types: JSONS,
        answer: guarded(deps, async (request, response) => {
          const refusal = registrations.refusal(request);
          if (refusal === undefined) return library(request, response);
          json(response, { error: refusal.error, error_description: refusal.sentence }, refusal.status);
        }),
      },
    ],
  ]);
  const below = new Map([
    [paths.authorization, forms(library)],
    [paths.code_verification, forms(library)],
    [paths.interaction, question],
  ] as const);
  return (path) => sites.get(path) ?? below.get(path.slice(0, Math.max(0, path.lastIndexOf('/'))) as never);
}

/** The library would send the code off by a script; the person shall look at it first and send it themselves. */
function withoutCode(request: SiteRequest): SiteRequest {
  const [path = '', query = ''] = (request.url ?? '').split('?', 2);
  delete request.headers['x-user-code'];
  if (request.method !== 'GET') return request;
  const code = new URLSearchParams(query)
    .get('user_code')
    ?.replaceAll(/[^A-Za-z-]/g, '')
    .slice(0, 20);
  if (code !== undefined) request.headers['x-user-code'] = code;
  request.url = path;
  return request;
}

function json(response: SiteResponse, value: unknown, status = 200): void {
  response.statusCode = status;
  response.setHeader('Content-Type', 'application/json');
  response.setHeader('Cache-Control', status === 200 ? 'public, max-age=300' : 'no-store');
  response.end(JSON.stringify(value));
}

/** A fault of ours is one line in the log, and one sentence to the person. */
const guarded =
  ({ log }: SiteDeps, answer: Site['answer']): Site['answer'] =>
  async (request, response) => {
    try {
      await answer(request, response);
    } catch (error) {
      if (response.headersSent) throw error;
      log.error({ event: 'oauth.bug', err: error });
      writePage(response, problemPage('A fault of the server, written to its log.', 500));
    }
  };
