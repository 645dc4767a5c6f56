import { createHash, randomBytes } from 'node:crypto';
import { http } from '../doors/http.ts';
import type { Person } from '../world/people.ts';
import { Browser, type Seen } from '../world/browser.ts';

type Fields = Readonly<Record<string, string>>;
type Answers = Parameters<Browser['send']>[1];

export interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly scope: string;
  readonly expires_in: number;
}

export interface Answered {
  readonly status: number;
  readonly body: Partial<Tokens> & { readonly error?: string; readonly error_description?: string };
}

const CALLBACK = 'http://127.0.0.1:39199/callback';

/** An OAuth client that does what a test says, down to what no good client would. */
export class OauthClient {
  readonly server: string;
  readonly clientId: string;

  private constructor(server: string, clientId: string) {
    this.server = server;
    this.clientId = clientId;
  }

  static async register(server: string, metadata: object = {}): Promise<OauthClient> {
    const { status, body } = await register(server, metadata);
    if (status !== 201) throw new Error(`not registered: ${status} ${JSON.stringify(body)}`);
    return new OauthClient(server, (body as { client_id: string }).client_id);
  }

  static known(server: string, clientId: string): OauthClient {
    return new OauthClient(server, clientId);
  }

  get resource(): string {
    return `${this.server}/mcp`;
  }

  /** The address to which a person's browser is sent, and the secret half of its challenge. */
  request(params: Readonly<Record<string, string | undefined>> = {}): { url: URL; verifier: string } {
    const verifier = randomBytes(32).toString('base64url');
    const url = new URL('/oauth/authorize', this.server);
    const all = {
      client_id: this.clientId,
      response_type: 'code',
      redirect_uri: CALLBACK,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      scope: 'messages:read messages:send',
      resource: this.resource,
      state: 'the state',
      ...params,
    };
    for (const [name, value] of Object.entries(all)) if (value !== undefined) url.searchParams.set(name, value);
    return { url, verifier };
  }

  /** A person opens the address, signs in and allows. Answers where their browser is sent. */
  async allowed(person: Person, url: URL, answers: Answers = {}, browser = new Browser(this.server)): Promise<URL> {
    const seen = await decide(browser, person, await browser.open(url), { answer: 'allow', ...answers });
    if (seen.left === undefined) throw new Error(`still at ${seen.url.href}: ${seen.html}`);
    return seen.left;
  }

  redeem(code: string, verifier: string, fields: Fields = {}): Promise<Answered> {
    return this.token({
      grant_type: 'authorization_code',
      code,
      code_verifier: verifier,
      redirect_uri: CALLBACK,
      resource: this.resource,
      ...fields,
    });
  }

  /** From nothing to tokens. */
  async tokens(
    person: Person,
    params: Readonly<Record<string, string | undefined>> = {},
    answers: Answers = {},
  ): Promise<Tokens> {
    const { url, verifier } = this.request(params);
    const left = await this.allowed(person, url, answers);
    const { status, body } = await this.redeem(left.searchParams.get('code') ?? '', verifier);
    if (status !== 200) throw new Error(`no tokens: ${left.href} ${JSON.stringify(body)}`);
    return body as Tokens;
  }

  refresh(refreshToken: string, fields: Fields = {}, server = this.server): Promise<Answered> {
    return this.token({ grant_type: 'refresh_token', refresh_token: refreshToken, ...fields }, server);
  }

  exchange(accessToken: string, scope: string): Promise<Answered> {
    return this.token({
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject_token: accessToken,
      subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      scope,
    });
  }

  revoke(token: string): Promise<Answered> {
    return post(new URL('/oauth/revoke', this.server), { client_id: this.clientId, token });
  }

  token(fields: Fields, server = this.server): Promise<Answered> {
    return post(new URL('/oauth/token', server), { client_id: this.clientId, ...fields });
  }
}

/** What the person reads in a terminal where they are signed in. */
export const signInCode = async (person: Person): Promise<string> =>
  (await http.as(person).access.createSignInCode({})).code;

/** Signs in as the person, or by a code of theirs: goes through every page until the browser leaves or there is nothing more to answer. */
export async function decide(browser: Browser, person: Person | string, first: Seen, answers: Answers): Promise<Seen> {
  const code = async () => (typeof person === 'string' ? person : signInCode(person));
  let seen = first;
  for (let pages = 0; pages < 6 && seen.left === undefined && seen.html.includes('<form'); pages++) {
    if (seen.html.includes('name="code"')) seen = await browser.send(seen, { code: await code() });
    else if (seen.html.includes('name="confirm"')) seen = await browser.send(seen, { confirm: 'yes' });
    else if (seen.html.includes('name="answer"')) seen = await browser.send(seen, answers);
    else seen = await browser.send(seen);
  }
  return seen;
}

export async function register(server: string, metadata: object = {}): Promise<{ status: number; body: unknown }> {
  const response = await fetch(new URL('/oauth/register', server), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      client_name: 'a test',
      application_type: 'native',
      redirect_uris: [CALLBACK],
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:token-exchange'],
      ...metadata,
    }),
  });
  return { status: response.status, body: await response.json() };
}

async function post(url: URL, fields: Fields): Promise<Answered> {
  const response = await fetch(url, { method: 'POST', body: new URLSearchParams(fields) });
  const text = await response.text();
  return { status: response.status, body: text === '' ? {} : (JSON.parse(text) as Answered['body']) };
}

/** How the server answers whoever shows this token. */
export async function statusFor(server: string, accessToken: string): Promise<number> {
  const response = await fetch(new URL('/agentworks.access.v1.AccessService/WhoAmI', server), {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${accessToken}` },
    body: '{}',
  });
  await response.text();
  return response.status;
}
