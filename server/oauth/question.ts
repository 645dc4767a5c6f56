import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { errors, type InteractionResults, type Provider } from 'oidc-provider';
import { isLoopback } from '../core/address.ts';
import type { Database } from '../core/database.ts';
import { limits } from '../core/limits.ts';
import { Problem } from '../core/problem.ts';
import type { ServerKey } from '../core/server-key.ts';
import { readForm } from '../http/form.ts';
import { writePage } from '../http/html.ts';
import type { SignIn, SignInPlace } from '../http/sign-in.ts';
import type { SiteRequest, SiteResponse } from '../http/site.ts';
import { CLI_CLIENT_ID } from './cli-client.ts';
import type { Clients } from './clients.ts';
import { askLoginPage, askPage } from './pages/ask.ts';
import { problemPage } from './pages/device.ts';
import { paths } from './paths.ts';
import { printable, shownName } from './printable.ts';
import { askedScopes, LOGIN_SCOPE, type Scope } from './scopes.ts';
import { prolongItem } from './store/items.ts';
import { hashSecret } from '../core/secret.ts';

export interface QuestionDeps {
  readonly orm: Database;
  readonly provider: Provider;
  readonly key: ServerKey;
  readonly clients: Clients;
  readonly signIn: SignIn;
  readonly agentNames: (accountId: string) => Promise<readonly string[]>;
}

export type Answer = (request: SiteRequest, response: SiteResponse) => Promise<void>;

type Interaction = Awaited<ReturnType<Provider['interactionDetails']>>;
type Client = NonNullable<Awaited<ReturnType<Provider['Client']['find']>>>;

const DAY = 24 * 3600;
/** A client that was let in is kept beyond the life of what it got. */
const USED_CLIENT_SECONDS = 180 * DAY;

/** Asks the person in front of the browser who they are, and then whether a program may be let in. */
export function questions(deps: QuestionDeps): Answer {
  const { provider, clients, signIn, agentNames } = deps;
  const csrfKey = deps.key.derive('oauth csrf');
  const csrfOf = (uid: string) => createHmac('sha256', csrfKey).update(uid).digest('base64url');

  return async (request, response) => {
    // Typed by Node's own server of HTTP/1.1; that of HTTP/2 has the same face.
    const [req, res] = [request as IncomingMessage, response as ServerResponse];
    const interaction = await found(provider, req, res);
    if (interaction === undefined || !(request.url ?? '').split('?')[0]!.endsWith(`/${interaction.uid}`))
      return writePage(response, problemPage('This page has expired, or was opened in another browser.'));
    const csrf = csrfOf(interaction.uid);
    const action = `${paths.interaction}/${interaction.uid}`;
    const finish = (result: InteractionResults) => finished(interaction, response, result);
    const client = await provider.Client.find(param(interaction, 'client_id'));
    if (client === undefined) return writePage(response, problemPage('The program is no longer registered here.'));

    const form = request.method === 'POST' ? await readForm(request) : undefined;
    if (form !== undefined && !isSame(form.get('csrf') ?? '', csrf))
      return writePage(response, problemPage('The form was not one of this page.', 403));
    if (form?.get('answer') === 'deny')
      return finish({ error: 'access_denied', error_description: 'the person did not allow it' });

    if (interaction.prompt.name === 'login') {
      const place: SignInPlace = {
        action,
        csrf,
        purpose: `to let ${shownName(client)} in`,
        leadsTo: redirectOf(interaction).origin,
      };
      const accountId = await (form === undefined
        ? signIn.page(request, response, place)
        : signIn.post(request, response, place, form));
      if (accountId === undefined) return undefined;
      await leaveOther(provider, interaction, accountId);
      return finish({ login: { accountId, remember: false } });
    }

    const accountId = interaction.session?.accountId ?? '';
    const accountName = (await clients.accountName(accountId)) ?? '';
    const isLogin = client.clientId === CLI_CLIENT_ID;
    const label = labelOf(interaction, client);
    if (form === undefined) {
      if (isLogin) return writePage(response, askLoginPage({ action, csrf, accountName, label }));
      const redirect = redirectOf(interaction);
      return writePage(
        response,
        askPage({
          action,
          csrf,
          clientName: shownName(client),
          redirectHost: redirect.host,
          redirectOrigin: redirect.origin,
          accountName,
          scopes: askedScopes(interaction.params['scope']),
          agentNames: await agentNames(accountId),
        }),
      );
    }
    if (form.get('answer') !== 'allow') return writePage(response, problemPage('Neither allowed nor denied.'));
    // Pressed twice: the first press is the one that counts.
    if (interaction.result?.consent !== undefined) return finish(interaction.result);
    const scopes = isLogin ? [LOGIN_SCOPE] : allowed(interaction, form);
    if (scopes.length === 0)
      return finish({ error: 'access_denied', error_description: 'the person allowed nothing of what was asked' });
    try {
      const grantId = await clients.grant({
        accountId,
        kind: isLogin ? 'login' : 'client',
        label,
        clientId: client.clientId,
        clientName: shownName(client).slice(0, 128).toWellFormed(),
        redirectHost: redirectOf(interaction).host,
        ...(isLogin ? {} : { scopes, expireSeconds: daysOf(form) * DAY }),
        ...(isLogin || form.get('reach') !== 'chosen' ? {} : { targets: await chosen(deps, accountId, form) }),
      });
      await prolongItem(deps.orm.em.fork(), 'Client', hashSecret(client.clientId), USED_CLIENT_SECONDS);
      // From here on the request is for what was allowed: a narrower answer is no reason to ask again.
      interaction.params['scope'] = scopes.join(' ');
      return await finish({ consent: { grantId } });
    } catch (error) {
      if (error instanceof Problem) return writePage(response, problemPage(error.message));
      throw error;
    }
  };
}

/** Kept with what was allowed: the library's own way reads the question anew and would forget that. */
async function finished(interaction: Interaction, response: SiteResponse, result: InteractionResults): Promise<void> {
  interaction.result = 'error' in result ? result : { ...interaction.lastSubmission, ...result };
  await interaction.persist();
  response.statusCode = 303;
  response.setHeader('Location', interaction.returnTo);
  response.setHeader('Cache-Control', 'no-store');
  response.end();
}

async function found(provider: Provider, req: IncomingMessage, res: ServerResponse): Promise<Interaction | undefined> {
  try {
    return await provider.interactionDetails(req, res);
  } catch (error) {
    if (error instanceof errors.SessionNotFound) return undefined;
    throw error;
  }
}

/** Somebody else sat here before: that session ends, or the library would ask them to sign out by a script. */
async function leaveOther(provider: Provider, interaction: Interaction, accountId: string): Promise<void> {
  const { session } = interaction;
  if (session?.accountId === undefined || session.accountId === accountId) return;
  await (await provider.Session.find(session.cookie))?.destroy();
  delete interaction.session;
}

const param = ({ params }: Interaction, name: string): string => {
  const value = params[name];
  return typeof value === 'string' ? value : '';
};

const isSame = (a: string, b: string): boolean =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));

/** What was asked and is ticked; anything else in the form is not looked at. */
function allowed(interaction: Interaction, form: URLSearchParams): Scope[] {
  const ticked = new Set(form.getAll('scope'));
  return askedScopes(interaction.params['scope']).filter((scope) => ticked.has(scope));
}

/** Names of agents that are there; those that went meanwhile are left out. */
async function chosen(deps: QuestionDeps, accountId: string, form: URLSearchParams): Promise<string[]> {
  const ticked = new Set(form.getAll('target'));
  const targets = (await deps.agentNames(accountId)).map((name) => `agent:${name}`);
  return targets.filter((target) => ticked.has(target));
}

function daysOf(form: URLSearchParams): number {
  const days = Number(form.get('days'));
  return Number.isInteger(days) && days >= 1 && days <= limits.grantDays.max ? days : limits.grantDays.max;
}

function labelOf(interaction: Interaction, client: Client): string {
  const said = printable(param(interaction, 'label'));
  return (said || shownName(client)).slice(0, limits.labelCharacters.max).toWellFormed();
}

/** Where the code goes: a device's answer goes nowhere, and a program of this computer may be at any of its ports. */
function redirectOf(interaction: Interaction): { readonly host: string; readonly origin: string | undefined } {
  const url = URL.parse(param(interaction, 'redirect_uri'));
  if (url === null) return { host: '', origin: undefined };
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return { host: url.protocol, origin: url.protocol };
  const hostname = url.hostname.replace(/^\[|\]$/g, '');
  // A policy has no words for an address of IPv6.
  const origin = hostname.includes(':') ? url.protocol : url.origin;
  return { host: isLoopback(hostname) ? 'localhost' : url.hostname, origin };
}
