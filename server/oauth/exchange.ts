import { errors, type KoaContextWithOIDC, type Provider } from 'oidc-provider';
import { Problem } from '../core/problem.ts';
import type { Clients } from './clients.ts';
import { scopesOf } from './scopes.ts';

export const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token';

export const exchangeParameters = ['subject_token', 'subject_token_type', 'requested_token_type', 'scope', 'resource'];

export interface ExchangeDeps {
  readonly clients: Clients;
  readonly resource: string;
}

/** A client gets a connection for a part of itself (RFC 8693): it may less, and ends with the one it came from. */
export const exchange =
  (provider: Provider, { clients, resource }: ExchangeDeps) =>
  async (ctx: KoaContextWithOIDC): Promise<void> => {
    const { params, client } = ctx.oidc as {
      params: Record<string, string | undefined>;
      client: NonNullable<typeof ctx.oidc.client>;
    };
    if (params['subject_token_type'] !== ACCESS_TOKEN)
      throw new errors.InvalidRequest(`subject_token_type must be ${ACCESS_TOKEN}`);
    if ((params['requested_token_type'] ?? ACCESS_TOKEN) !== ACCESS_TOKEN)
      throw new errors.InvalidRequest(`requested_token_type can only be ${ACCESS_TOKEN}`);
    if ((params['resource'] ?? resource) !== resource)
      throw new errors.InvalidTarget(`the only resource here is ${resource}`);
    const subject = await provider.AccessToken.find(params['subject_token'] ?? '');
    if (subject === undefined || subject.clientId !== client.clientId)
      throw new errors.InvalidGrant('subject_token is not a live token of this client');
    const parent = await clients.find(subject.grantId);
    if (parent === undefined) throw new errors.InvalidGrant('the connection of subject_token has ended');
    if (parent.isChild) throw new errors.InvalidGrant('a child connection has no children');
    const may = scopesOf(parent).filter((scope) => subject.scopes.has(scope));
    const wanted = params['scope'] === undefined ? may : [...new Set(params['scope'].split(' '))];
    const wider = wanted.filter((scope) => !may.includes(scope));
    if (wider.length > 0) throw new errors.InvalidScope('a child may not do more than its parent', wider.join(' '));
    const grantId = await refusing(
      clients.grant({
        accountId: parent.accountId,
        kind: 'client',
        label: `${client.clientName ?? 'client'}, child`.slice(0, 64),
        clientId: client.clientId,
        clientName: client.clientName ?? '',
        redirectHost: '',
        parentId: parent.id,
        scopes: wanted,
        ...(parent.targets === undefined ? {} : { targets: parent.targets }),
        ...(parent.expireTime === undefined ? {} : { expireSeconds: parent.expireTime - Date.now() / 1000 }),
      }),
    );
    const scope = wanted.join(' ');
    const about = { accountId: parent.accountId, client, grantId, gty: EXCHANGE, scope };
    const token = new provider.AccessToken({ ...about });
    token.setAudience(resource);
    const access = await token.save();
    const refresh = client.grantTypeAllowed('refresh_token')
      ? await new provider.RefreshToken({ ...about, resource, rotations: 0 }).save()
      : undefined;
    ctx.set('cache-control', 'no-store');
    ctx.body = {
      access_token: access,
      issued_token_type: ACCESS_TOKEN,
      token_type: 'Bearer',
      expires_in: token.expiration,
      scope,
      ...(refresh === undefined ? {} : { refresh_token: refresh }),
    };
  };

/** What is refused elsewhere by a sentence of ours, as this protocol says it. */
async function refusing<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    throw error instanceof Problem ? new errors.InvalidRequest(error.message) : error;
  }
}
