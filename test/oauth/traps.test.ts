import { expect, test, vi } from 'vitest';
import { Browser } from '../world/browser.ts';
import { rpc } from '../doors/rpc.ts';
import { inWorld } from '../world/world.ts';
import { OauthClient, register, signInCode, statusFor } from './client.ts';

test('a client that asks for no scope gets the usual ones', () =>
  inWorld(async (world) => {
    const client = await OauthClient.register(world.url);
    const { scope } = await client.tokens(await world.person(), { scope: undefined });
    expect(scope).toBe('messages:read messages:send agents:register');
  }));

test('a client may ask for offline_access, and for more than it registered with', () =>
  inWorld(async (world) => {
    const client = await OauthClient.register(world.url, { scope: 'messages:read' });
    const { scope } = await client.tokens(await world.person(), {
      scope: 'messages:read runs:read offline_access openid',
      prompt: 'consent',
    });
    expect(scope).toBe('messages:read runs:read');
  }));

test('a client that names no resource, at the start or when it refreshes, means the one there is', () =>
  inWorld(async (world) => {
    const client = await OauthClient.register(world.url);
    const tokens = await client.tokens(await world.person(), { resource: undefined });
    const { status, body } = await client.refresh(tokens.refresh_token);
    expect(status).toBe(200);
    expect(await statusFor(world.url, body.access_token!)).toBe(200);
  }));

test('a resource that is not ours is refused, with a slash at its end too', () =>
  inWorld(async (world) => {
    const client = await OauthClient.register(world.url);
    const browser = new Browser(world.url);
    for (const resource of ['https://elsewhere.example/mcp', `${world.url}/mcp/`]) {
      const { left } = await browser.open(client.request({ resource }).url);
      expect(left?.searchParams.get('error')).toBe('invalid_target');
    }
  }));

test('only codes with a challenge by S256 are given', () =>
  inWorld(async (world) => {
    const client = await OauthClient.register(world.url);
    const browser = new Browser(world.url);
    const errorOf = async (params: Record<string, string | undefined>) => {
      const { left } = await browser.open(client.request(params).url);
      return left?.searchParams.get('error') ?? new URLSearchParams(left?.hash.slice(1)).get('error');
    };
    const without = { code_challenge: undefined, code_challenge_method: undefined };
    expect(await errorOf(without)).toBe('invalid_request');
    expect(await errorOf({ code_challenge_method: 'plain' })).toBe('invalid_request');
    for (const response_type of ['token', 'id_token', 'code id_token', 'none'])
      expect(await errorOf({ response_type })).toMatch(/unsupported_response_type|unauthorized_client|invalid_request/);
  }));

test('a code is worth nothing without its verifier, its redirect address or its client', () =>
  inWorld(async (world) => {
    const person = await world.person();
    const client = await OauthClient.register(world.url);
    const other = await OauthClient.register(world.url);
    const { url, verifier } = client.request();
    const code = (await client.allowed(person, url)).searchParams.get('code')!;
    const refused = { status: 400, body: { error: 'invalid_grant' } };
    expect(await client.redeem(code, 'x'.repeat(43))).toMatchObject(refused);
    expect(await client.redeem(code, verifier, { redirect_uri: 'http://127.0.0.1:1/other' })).toMatchObject(refused);
    expect(await other.redeem(code, verifier)).toMatchObject(refused);
    expect((await client.redeem(code, verifier)).status).toBe(200);
  }));

test('the answer says who gave it, and brings the state back', () =>
  inWorld(async (world) => {
    const client = await OauthClient.register(world.url);
    const left = await client.allowed(await world.person(), client.request().url);
    expect(left.searchParams.get('iss')).toBe(world.url);
    expect(left.searchParams.get('state')).toBe('the state');
  }));

test('nobody is sent to an address that the client did not register', () =>
  inWorld(async (world) => {
    const client = await OauthClient.register(world.url);
    const seen = await new Browser(world.url).open(client.request({ redirect_uri: 'https://evil.example/' }).url);
    expect(seen.left).toBeUndefined();
    expect(seen.status).toBe(400);
    // A program on the person's own computer listens wherever there is room.
    const { url } = client.request({ redirect_uri: 'http://127.0.0.1:50123/callback' });
    expect((await client.allowed(await world.person(), url)).port).toBe('50123');
  }));

test('a person is asked for every program and every time', () =>
  inWorld(async (world) => {
    const person = await world.person();
    const client = await OauthClient.register(world.url, {
      application_type: 'web',
      redirect_uris: ['https://a.example/'],
    });
    const browser = new Browser(world.url);
    const { url } = client.request({ redirect_uri: 'https://a.example/' });
    await client.allowed(person, url, {}, browser);
    const again = await browser.open(url);
    expect(again.html).toContain('Let a program in?');
    const silent = await browser.open(client.request({ redirect_uri: 'https://a.example/', prompt: 'none' }).url);
    expect(silent.left?.searchParams.get('error')).toMatch(/_required$/);
  }));

test('what a person allows is less than what was asked, if they say so', () =>
  inWorld(async (world) => {
    const person = await world.person();
    await world.agent('alice');
    await world.agent('bob');
    const client = await OauthClient.register(world.url);
    const { scope } = await client.tokens(
      person,
      { scope: 'messages:read messages:send authoring' },
      { scope: ['messages:read', 'runs:start'], reach: 'chosen', target: ['agent:alice', 'agent:nobody'], days: '1' },
    );
    expect(scope).toBe('messages:read');
    const { connections } = await rpc.as(person).access.listConnections({});
    const { createTime, expireTime } = connections.find(({ label }) => label === 'a test')!;
    expect(expireTime!.seconds - createTime!.seconds).toBe(86_400n);
  }));

test('to allow nothing is to deny', () =>
  inWorld(async (world) => {
    const client = await OauthClient.register(world.url);
    const left = await client.allowed(await world.person(), client.request().url, { scope: [] });
    expect(left.searchParams.get('error')).toBe('access_denied');
  }));

test('a form that is not of this page, or of another browser, decides nothing', () =>
  inWorld(async (world) => {
    const person = await world.person();
    const client = await OauthClient.register(world.url);
    const browser = new Browser(world.url);
    const signIn = await browser.open(client.request().url);
    const asked = await browser.send(signIn, { code: await signInCode(person) });
    expect((await browser.send(asked, { csrf: 'x', answer: 'allow' })).status).toBe(403);
    const stranger = await new Browser(world.url).send(asked, { answer: 'allow' });
    expect(stranger.html).toContain('opened in another browser');
    expect((await browser.send(asked, { answer: 'allow' })).left?.searchParams.get('code')).toBeTruthy();
    const { connections } = await rpc.as(person).access.listConnections({});
    expect(connections.filter(({ label }) => label === 'a test')).toHaveLength(1);
  }));

test("pages hold another program's words as text, run no script and stand in no frame", () =>
  inWorld(async (world) => {
    const person = await world.person();
    const client = await OauthClient.register(world.url, { client_name: '<script>alert(1)</script>\u202e"onload' });
    const browser = new Browser(world.url);
    const asked = await browser.send(await browser.open(client.request().url), { code: await signInCode(person) });
    expect(asked.html).toContain('&lt;script&gt;alert(1)&lt;/script&gt; &quot;onload');
    expect(asked.html).not.toContain('<script');
    const policy = asked.headers.get('content-security-policy');
    expect(policy).toMatch(
      /default-src 'none'; style-src 'sha256-[^']+'; form-action 'self' http:\/\/127\.0\.0\.1:\d+;/,
    );
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain('unsafe');
    expect(asked.headers.get('cache-control')).toBe('no-store');
  }));

test('a registration is bounded in size and in number, and in where it may send people', () =>
  inWorld(async (world) => {
    expect((await register(world.url, { client_uri: `https://a.example/${'a'.repeat(17_000)}` })).status).toBe(413);
    for (const uri of ['http://elsewhere.example/', 'javascript:alert(1)', 'data:text/html,x'])
      expect((await register(world.url, { redirect_uris: [uri] })).body).toMatchObject({
        error: expect.stringMatching(/invalid_redirect_uri|invalid_client_metadata/),
      });
    let status = 0;
    for (let i = 0; i < 61 && status !== 429; i++) ({ status } = await register(world.url));
    expect(status).toBe(429);
    world.clock.pass(61_000);
    expect((await register(world.url)).status).toBe(201);
  }));

test('the description of a client is fetched from no address inside', () =>
  inWorld(async (world) => {
    const browser = new Browser(world.url);
    for (const host of ['127.0.0.1', 'localhost', '[::1]', '10.0.0.1', '169.254.169.254', 'localhost:8443']) {
      const client = OauthClient.known(world.url, `https://${host}/client.json`);
      const seen = await browser.open(client.request().url);
      expect(seen.status).toBe(400);
      expect(seen.html).toContain('client_id metadata document fetch');
    }
  }));

test('the login of the command line is for the command line alone', () =>
  inWorld(async (world) => {
    const client = await OauthClient.register(world.url);
    const { scope } = await client.tokens(await world.person(), {
      scope: 'login messages:read connections:manage attach',
    });
    expect(scope).toBe('messages:read');
  }));

test('a sign-in code that is wrong, or was used, is told and opens nothing', () =>
  inWorld(async (world) => {
    const person = await world.person();
    const client = await OauthClient.register(world.url);
    const code = await signInCode(person);
    const browser = new Browser(world.url);
    const page = await browser.open(client.request().url);
    const wrong = await browser.send(page, { code: 'WRNG-CODE' });
    expect(wrong.html).toContain('That code opens nothing');
    const asked = await browser.send(wrong, { code: code.toLowerCase() });
    expect(asked.html).toContain('name="answer"');
    const other = new Browser(world.url);
    const again = await other.send(await other.open(client.request().url), { code });
    expect(again.html).toContain('That code opens nothing');
  }));

test('a client with a secret proves it, in the header or in the form', () =>
  inWorld(async (world) => {
    const person = await world.person();
    for (const method of ['client_secret_post', 'client_secret_basic']) {
      const { body } = await register(world.url, { token_endpoint_auth_method: method });
      const { client_id, client_secret } = body as { client_id: string; client_secret: string };
      const client = OauthClient.known(world.url, client_id);
      const { url, verifier } = client.request();
      const code = (await client.allowed(person, url)).searchParams.get('code')!;
      expect((await client.redeem(code, verifier)).body.error).toBe('invalid_client');
      const fields = new URLSearchParams({
        grant_type: 'authorization_code',
        code,
        code_verifier: verifier,
        redirect_uri: 'http://127.0.0.1:39199/callback',
        ...(method === 'client_secret_post' ? { client_id, client_secret } : {}),
      });
      const authorization = `Basic ${btoa(`${client_id}:${client_secret}`)}`;
      const headers = method === 'client_secret_basic' ? { authorization } : undefined;
      const answer = await fetch(`${world.url}/oauth/token`, {
        method: 'POST',
        body: fields,
        ...(headers && { headers }),
      });
      expect(await answer.json()).toMatchObject({ scope: 'messages:read messages:send' });
    }
  }));

test('who signs in as somebody else is let in as that one', () =>
  inWorld(async (world) => {
    const [alice, bert] = [await world.person(), await (await world.account('bert')).person()];
    const client = await OauthClient.register(world.url);
    const browser = new Browser(world.url);
    await client.allowed(alice, client.request().url, {}, browser);
    const signIn = await browser.open(client.request({ prompt: 'login' }).url);
    const asked = await browser.send(signIn, { code: await signInCode(bert) });
    expect(asked.html).toContain('<strong>bert</strong>');
    const { left } = await browser.send(asked, { answer: 'allow' });
    expect(left?.searchParams.get('code')).toBeTruthy();
    const { connections } = await rpc.as(bert).access.listConnections({});
    expect(connections.map(({ label }) => label)).toContain('a test');
  }));

test('an answer that is pressed twice is one answer', () =>
  inWorld(async (world) => {
    const person = await world.person();
    const client = await OauthClient.register(world.url);
    const browser = new Browser(world.url);
    const asked = await browser.send(await browser.open(client.request().url), { code: await signInCode(person) });
    const pressed = await Promise.allSettled([1, 2].map(() => browser.send(asked, { answer: 'allow' })));
    expect(pressed.some((one) => one.status === 'fulfilled' && one.value.left?.searchParams.has('code'))).toBe(true);
  }));

test('the description of a client is fetched once from its own address, and shown as what it is', async () => {
  const clientId = 'https://host.example/client.json';
  const description = {
    client_id: clientId,
    client_name: 'a host',
    application_type: 'native',
    redirect_uris: ['http://127.0.0.1:39199/callback'],
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code', 'refresh_token'],
  };
  const fetched: RequestInit[] = [];
  const { fetch: real } = globalThis;
  vi.stubGlobal('fetch', (url: string, options: RequestInit) => {
    if (url !== clientId) return real(url, options);
    fetched.push(options);
    return Promise.resolve(Response.json(description));
  });
  try {
    await inWorld(async (world) => {
      const client = OauthClient.known(world.url, clientId);
      const { access_token } = await client.tokens(await world.person());
      expect(await statusFor(world.url, access_token)).toBe(200);
      expect(fetched).toMatchObject([{ redirect: 'manual', dispatcher: expect.anything() }]);
    });
  } finally {
    vi.unstubAllGlobals();
  }
});
