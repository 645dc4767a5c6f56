import { Provider, type Configuration, errors, interactionPolicy, type KoaContextWithOIDC } from 'oidc-provider';
import { limits } from '../core/limits.ts';
import type { Log } from '../core/log.ts';
import { newSecret } from '../core/secret.ts';
import { type ServerKey, signingKey } from '../core/server-key.ts';
import { type Page, pageHeaders, pageText } from '../http/html.ts';
import { type AdapterDeps, adapting } from './adapter.ts';
import { CLI_CLIENT_ID, cliClient } from './cli-client.ts';
import { type ExchangeDeps, exchange, EXCHANGE, exchangeParameters } from './exchange.ts';
import { codeConfirmPage, codePage, donePage, problemPage } from './pages/device.ts';
import { paths } from './paths.ts';
import { printable, shownName } from './printable.ts';
import type { Registrations } from './registrations.ts';
import { askedScopes, grantable, LOGIN_SCOPE, scopesFor } from './scopes.ts';

export interface ProviderDeps extends AdapterDeps {
  readonly publicUrl: string;
  readonly key: ServerKey;
  readonly log: Log;
  /** A refresh token or a code came again when it no longer may: its connection was ended for that. */
  readonly noteReuse: (connectionId: string) => Promise<void>;
  readonly fetch: typeof fetch;
  readonly registrations: Registrations;
}

const MINUTE = 60;
const DAY = 24 * 3600;

const show = (ctx: KoaContextWithOIDC, page: Page): void => {
  ctx.set(pageHeaders(page));
  ctx.status = page.status ?? 200;
  ctx.body = pageText(page);
};

/** The authorization server: a library that speaks the protocols, on our tables, our connections and our pages. */
export function newProvider(deps: ProviderDeps): Provider {
  const { publicUrl, log } = deps;
  const provider = new Provider(publicUrl, configuration(deps));
  pinAddress(provider, publicUrl);
  provider.registerGrantType(EXCHANGE, exchange(provider, deps satisfies ExchangeDeps), exchangeParameters);
  // The secret of a login is one of ours, with our prefix, so that scanners know it.
  const tokens = provider.AccessToken.prototype as unknown as {
    clientId?: string;
    generateTokenId: (this: { clientId?: string }) => string;
  };
  const newTokenId = tokens.generateTokenId;
  tokens.generateTokenId = function generateTokenId() {
    const id = newTokenId.call(this);
    return this.clientId === CLI_CLIENT_ID ? newSecret() : id;
  };
  provider.on('server_error', (_ctx, error) => log.error({ event: 'oauth.bug', err: error }));
  provider.on('grant.revoked', (ctx, grantId) => {
    if (ctx.oidc.route === 'token')
      void deps.noteReuse(grantId).catch((error: unknown) => log.error({ event: 'oauth.bug', err: error }));
  });
  return provider;
}

/** Every address that is written comes from the configured one: a request's own Host says nothing here. */
function pinAddress(provider: Provider, publicUrl: string): void {
  const { protocol, host, origin } = new URL(publicUrl);
  const pinned = { protocol: protocol.slice(0, -1), host, origin };
  for (const [name, value] of Object.entries(pinned))
    Object.defineProperty(provider.request, name, { get: () => value });
  Object.defineProperty(provider.request, 'href', {
    get(this: { originalUrl: string }) {
      const { pathname, search } = new URL(this.originalUrl, publicUrl);
      return `${origin}${pathname}${search}`;
    },
  });
}

function configuration(deps: ProviderDeps): Configuration {
  const { key, resource } = deps;
  return {
    adapter: adapting(deps),
    clients: [cliClient],
    clientDefaults: { id_token_signed_response_alg: 'EdDSA' },
    clientAuthMethods: ['none', 'client_secret_basic', 'client_secret_post'],
    scopes: [...grantable],
    claims: {},
    responseTypes: ['code'],
    jwks: { keys: [signingKey(key, 'oauth signing')] as never },
    cookies: {
      keys: [key.derive('oauth cookies').toString('base64url')],
      names: { session: 'aw_session', interaction: 'aw_question', resume: 'aw_resume' },
    },
    pkce: { required: () => true },
    routes: paths,
    enabledJWA: { idTokenSigningAlgValues: ['EdDSA'] },
    // Which account it is settles who calls; its data are read by our own RPCs.
    findAccount: (_ctx, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
    // Requests of foreign pages were refused before; who is listed may.
    clientBasedCORS: () => true,
    expiresWithSession: () => false,
    issueRefreshToken: (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    rotateRefreshToken: true,
    // A token that is given back takes its whole connection along, whichever of the two it was.
    revokeGrantPolicy: () => true,
    // One connection for one consent: what was allowed before is another program's, or the same one's of another time.
    loadExistingGrant: async (ctx) => {
      const grantId = ctx.oidc.result?.consent?.grantId;
      return grantId === undefined ? undefined : ctx.oidc.provider.Grant.find(grantId);
    },
    interactions: { policy: alwaysAsking(), url: (_ctx, { uid }) => `${paths.interaction}/${uid}` },
    extraParams: ['label'],
    extraClientMetadata: {
      // Which of its metadata we look at ourselves.
      properties: ['software_id'],
      // A client that registers with some scopes may ask for others later: what it gets is what a person allows.
      validator: (_ctx, _key, _value, metadata) => {
        delete (metadata as { scope?: string }).scope;
      },
    },
    ttl: {
      AccessToken: (_ctx, token) => (token.clientId === CLI_CLIENT_ID ? limits.connectionSeconds.max : 15 * MINUTE),
      AuthorizationCode: MINUTE,
      DeviceCode: 10 * MINUTE,
      Interaction: 10 * MINUTE,
      Session: 60 * MINUTE,
      Grant: 90 * DAY,
      RefreshToken: (_ctx, token) => Math.max(1, Math.min(30 * DAY, 90 * DAY - token.totalLifetime())),
      IdToken: 15 * MINUTE,
    },
    formats: { bitsOfOpaqueRandomness: 256 },
    // Without the guard against addresses of our own network nothing is fetched.
    fetch: (url, options) =>
      'dispatcher' in (options ?? {})
        ? deps.fetch(url, options)
        : Promise.reject(new Error('client metadata cannot be fetched safely here')),
    renderError: (ctx, out) => show(ctx, problemPage(out.error_description ?? out.error, ctx.status)),
    features: {
      devInteractions: { enabled: false },
      dPoP: { enabled: false },
      userinfo: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      introspection: { enabled: false },
      revocation: { enabled: true, allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId },
      registration: { enabled: true, issueRegistrationAccessToken: false },
      clientIdMetadataDocument: {
        enabled: true,
        // The draft that this exact version of the library implements.
        ack: 'draft-02',
        allowFetch: (_ctx, clientId) => new URL(clientId).port === '' && deps.registrations.mayBegin(),
      },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => resource,
        useGrantedResource: () => true,
        getResourceServerInfo: (_ctx, asked, client) => {
          if (asked !== resource) throw new errors.InvalidTarget(`the only resource here is ${resource}`);
          return { scope: scopesFor(client.clientId).join(' '), audience: resource, accessTokenFormat: 'opaque' };
        },
      },
      deviceFlow: { enabled: true, ...devicePages },
    },
  };
}

/** Nothing is granted without a person's answer to this one request. */
function alwaysAsking() {
  const policy = interactionPolicy.base();
  const { checks } = policy.get('consent')!;
  checks.clear();
  checks.add(
    new interactionPolicy.Check('always', 'a person is asked each time', (ctx) =>
      ctx.oidc.result?.consent === undefined
        ? interactionPolicy.Check.REQUEST_PROMPT
        : interactionPolicy.Check.NO_NEED_TO_PROMPT,
    ),
  );
  return policy;
}

const devicePages = {
  charset: 'base-20',
  mask: '****-****',
  deviceInfo: () => ({}),
  userCodeInputSource: async (ctx: KoaContextWithOIDC, _form: string, _out?: unknown, error?: Error) =>
    show(ctx, codePage({ ...formOf(ctx), userCode: typedCode(ctx), problem: error && codeProblem(error) })),
  userCodeConfirmSource: async (
    ctx: KoaContextWithOIDC,
    _form: string,
    client: { readonly clientId: string; readonly clientName?: string | undefined },
    _deviceInfo: unknown,
    userCode: string,
  ) => {
    const params = ctx.oidc.entities.DeviceCode?.params as { scope?: string; label?: string } | undefined;
    const page = codeConfirmPage({
      ...formOf(ctx),
      userCode,
      clientName: shownName(client),
      label: printable(params?.label ?? ''),
      scopes: client.clientId === CLI_CLIENT_ID ? [LOGIN_SCOPE] : askedScopes(params?.scope),
    });
    show(ctx, page);
  },
  successSource: async (ctx: KoaContextWithOIDC) => show(ctx, donePage),
} as const;

const formOf = (ctx: KoaContextWithOIDC) => ({
  action: paths.code_verification,
  xsrf: (ctx.oidc.session?.state as { secret: string } | undefined)?.secret ?? '',
});

/** What the address of the page says, for the person to look at and send off. */
const typedCode = (ctx: KoaContextWithOIDC): string => ctx.get('x-user-code');

function codeProblem(error: Error): string {
  switch (error.name) {
    case 'NotFoundError':
    case 'NoCodeError':
      return 'There is no such code. Look at it again, or let the program show a new one.';
    case 'ExpiredError':
      return 'That code has expired. Let the program show a new one.';
    case 'AlreadyUsedError':
      return 'That code was used already. Let the program show a new one.';
    case 'AbortedError':
      return 'The program was not let in.';
    default:
      return 'That did not work. Let the program show a new code.';
  }
}
