import { connect } from 'node:http2';
import { expect, test } from 'vitest';
import { inWorld } from '../world/world.ts';

const json = async (url: string, headers: Record<string, string> = {}) =>
  (await (await fetch(url, { headers })).json()) as Record<string, unknown>;

test('what a client needs to know stands at every place where clients look, for nobody and for everybody', () =>
  inWorld(async ({ url }) => {
    for (const path of ['/.well-known/oauth-protected-resource', '/.well-known/oauth-protected-resource/mcp'])
      expect(await json(url + path)).toEqual({
        resource: `${url}/mcp`,
        resource_name: 'AgentWorks',
        authorization_servers: [url],
        bearer_methods_supported: ['header'],
        scopes_supported: ['messages:read', 'messages:send', 'agents:register'],
      });
    for (const path of ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration'])
      expect(await json(url + path)).toMatchObject({
        issuer: url,
        authorization_endpoint: `${url}/oauth/authorize`,
        token_endpoint: `${url}/oauth/token`,
        registration_endpoint: `${url}/oauth/register`,
        revocation_endpoint: `${url}/oauth/revoke`,
        device_authorization_endpoint: `${url}/oauth/device/start`,
        response_types_supported: ['code'],
        code_challenge_methods_supported: ['S256'],
        authorization_response_iss_parameter_supported: true,
        client_id_metadata_document_supported: true,
      });
  }));

test('offline_access is advertised nowhere', () =>
  inWorld(async ({ url }) => {
    const { scopes_supported } = await json(`${url}/.well-known/oauth-authorization-server`);
    expect(scopes_supported).toContain('messages:read');
    expect(scopes_supported).not.toContain('offline_access');
    expect(scopes_supported).not.toContain('login');
  }));

test('every address is the configured one, whatever name a request came by', () =>
  inWorld(
    async ({ url }) => {
      for (const path of ['/.well-known/oauth-authorization-server', '/.well-known/oauth-protected-resource'])
        expect(JSON.stringify(await json(url.replace('127.0.0.1', 'localhost') + path))).not.toMatch(/localhost|127/);
      const started = await fetch(`${url}/oauth/device/start`, {
        method: 'POST',
        body: new URLSearchParams({ client_id: 'agentworks-cli' }),
        headers: { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'http' },
      });
      expect(await started.json()).toMatchObject({ verification_uri: 'https://agents.example.com/oauth/device' });
      const page = await fetch(`${url}/oauth/device`);
      expect(page.headers.getSetCookie().join()).toMatch(/; secure/i);
    },
    { AGENTWORKS_PUBLIC_URL: 'https://agents.example.com' },
  ));

test('the same over HTTP/2', () =>
  inWorld(async ({ url }) => {
    const session = connect(url);
    const ask = (headers: Record<string, string>, body?: string) =>
      new Promise<{ status: number; text: string }>((done, failed) => {
        const stream = session.request(headers, { endStream: body === undefined });
        let text = '';
        let status = 0;
        stream.setEncoding('utf8').on('response', (head) => (status = Number(head[':status'])));
        stream.on('data', (chunk: string) => (text += chunk)).on('error', failed);
        stream.on('end', () => done({ status, text }));
        if (body !== undefined) stream.end(body);
      });
    const metadata = await ask({ ':path': '/.well-known/oauth-authorization-server' });
    expect(JSON.parse(metadata.text)).toMatchObject({ issuer: url, token_endpoint: `${url}/oauth/token` });
    const form = { ':method': 'POST', 'content-type': 'application/x-www-form-urlencoded' };
    const started = await ask({ ...form, ':path': '/oauth/device/start' }, 'client_id=agentworks-cli');
    expect(JSON.parse(started.text)).toMatchObject({ verification_uri: `${url}/oauth/device` });
    session.close();
  }));

test('whoever calls without a good token is told where to get one, and what to ask for', () =>
  inWorld(async ({ url }) => {
    const answer = await fetch(`${url}/agentworks.access.v1.AccessService/WhoAmI`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    });
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toBe(
      `Bearer scope="messages:read messages:send agents:register", resource_metadata="${url}/.well-known/oauth-protected-resource/mcp"`,
    );
  }));

test('ACC-7a, ACC-7b, ACC-7c foreign pages, names and content types are refused here too', () =>
  inWorld(async ({ url }) => {
    const post = async (path: string, headers: Record<string, string>, body = 'a=b') =>
      (await fetch(url + path, { method: 'POST', headers, body })).status;
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    for (const path of ['/oauth/token', '/oauth/authorize', '/oauth/device', '/oauth/question/x', '/oauth/revoke']) {
      expect(await post(path, { ...form, origin: 'https://evil.example' })).toBe(403);
      expect(await post(path, { ...form, origin: 'null' })).toBe(403);
      expect(await post(path, { 'content-type': 'application/json' }, '{}')).toBe(415);
      expect(await post(path, { 'content-type': 'text/plain' })).toBe(415);
    }
    expect(await post('/oauth/register', form)).toBe(415);
    // And a form opens nothing else.
    expect(await post('/agentworks.access.v1.AccessService/WhoAmI', form)).toBe(415);
  }));
