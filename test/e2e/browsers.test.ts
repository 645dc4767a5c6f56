import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cleanUp, type Served, start } from './server-process.ts';
import { signIn } from './calls.ts';

const ORIGIN = 'https://app.example.com';
const SEND = '/agentworks.messages.v1.MessageService/Send';

let server: Served;
let authorization = '';
beforeAll(async () => {
  server = await start({ env: { AGENTWORKS_ALLOWED_ORIGINS: ORIGIN } });
  authorization = `Bearer ${await signIn(server.url, server.data)}`;
});
afterAll(cleanUp);

async function ask(path: string, init: RequestInit) {
  const answer = await fetch(`${server.url}${path}`, init);
  const body = (await answer.json()) as { details: { debug: { reason: string; subject: string } }[] };
  return { status: answer.status, ...body.details[0]!.debug };
}

describe('over HTTP/1.1', () => {
  test.each(['text/plain', 'application/x-www-form-urlencoded'])('a form that posts %s is refused', async (type) => {
    const init = { method: 'POST', headers: { 'content-type': type }, body: '{"target":"agent:bob","body":"x"}' };
    expect(await ask(SEND, init)).toMatchObject({
      status: 415,
      reason: 'REASON_FOREIGN_REQUEST',
      subject: 'content-type',
    });
  });

  test('ACC-7d an RPC is not read by GET', async () => {
    const path = '/agentworks.access.v1.AccessService/WhoAmI?encoding=json&message=%7B%7D&connect=v1';
    expect(await ask(path, {})).toMatchObject({ status: 404, reason: 'REASON_UNKNOWN_RPC' });
  });

  test('a foreign page reads no page either', async () => {
    expect(await ask('/', { headers: { origin: 'https://evil.example' } })).toMatchObject({
      status: 403,
      reason: 'REASON_FOREIGN_REQUEST',
    });
  });

  test('a stream both ways says that it needs HTTP/2', async () => {
    const headers = { 'content-type': 'application/connect+json', authorization };
    const answer = await fetch(`${server.url}/agentworks.bridge.v1.BridgeService/Link`, {
      method: 'POST',
      headers,
      body: '',
    });
    expect(await answer.text()).toContain('REASON_MALFORMED');
  });

  test('an oversize request is answered, and the next one too', async () => {
    const headers = { 'content-type': 'application/json', authorization };
    const body = 'x'.repeat(5 * 1024 * 1024);
    expect(await ask(SEND, { method: 'POST', headers, body })).toMatchObject({
      status: 429,
      reason: 'REASON_LIMIT_EXCEEDED',
    });
    expect(await ask(SEND, { method: 'POST', headers, body: '{}' })).toMatchObject({ status: 400 });
  });

  test('there is a page, and it is honest about the database', async () => {
    const index = await fetch(server.url);
    expect(index.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(await index.text()).toContain('AgentWorks 0.1.0');
    expect(await (await fetch(`${server.url}/healthz`)).text()).toBe('ok\n');
    expect(await (await fetch(`${server.url}/readyz`)).text()).toBe('ready\n');
  });
});

describe('a page of a listed origin', () => {
  test('may ask, and read the answer', async () => {
    const preflight = await fetch(`${server.url}${SEND}`, {
      method: 'OPTIONS',
      headers: {
        origin: ORIGIN,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,connect-protocol-version,content-type',
        'access-control-request-private-network': 'true',
      },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-origin')).toBe(ORIGIN);
    expect(preflight.headers.get('access-control-allow-methods')).toBe('POST');
    expect(preflight.headers.get('access-control-allow-private-network')).toBe('true');
    const allowed = preflight.headers.get('access-control-allow-headers')!.toLowerCase();
    for (const name of [
      'authorization',
      'connect-protocol-version',
      'content-type',
      'x-grpc-web',
      'connect-timeout-ms',
    ])
      expect(allowed).toContain(name);
    const answer = await fetch(`${server.url}/grpc.health.v1.Health/Check`, {
      method: 'POST',
      headers: { origin: ORIGIN, 'content-type': 'application/json' },
      body: '{}',
    });
    expect(await answer.json()).toEqual({ status: 'SERVING' });
    expect(answer.headers.get('access-control-allow-origin')).toBe(ORIGIN);
    expect(answer.headers.get('access-control-expose-headers')).toContain('Grpc-Status-Details-Bin');
  });

  test('and nobody else', async () => {
    const answer = await fetch(`${server.url}/healthz`);
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
  });
});
