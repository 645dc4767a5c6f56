import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { get } from 'node:https';
import { join } from 'node:path';
import { Code, ConnectError, createClient } from '@connectrpc/connect';
import { createConnectTransport, createGrpcTransport } from '@connectrpc/connect-node';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Health, HealthCheckResponse_ServingStatus as Status } from '#gen/grpc/health/v1/health_pb.ts';
import { cleanUp, newFolder, type Served, start } from './server-process.ts';

let server: Served;
let ca = '';

beforeAll(async () => {
  const folder = newFolder();
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1,DNS:localhost'];
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1'];
  execFileSync('openssl', ['req', '-x509', ...curve, ...subject, '-keyout', key, '-out', cert], { stdio: 'ignore' });
  ca = readFileSync(cert, 'utf8');
  const env = { AGENTWORKS_ADDRESS: '0.0.0.0:0', AGENTWORKS_TLS_CERT: cert, AGENTWORKS_TLS_KEY: key };
  server = await start({ env });
});
afterAll(cleanUp);

const baseUrl = () => server.url.replace('0.0.0.0', '127.0.0.1');

test('the address says that it is encrypted', () => {
  expect(server.url).toMatch(/^https:/);
});

test('gRPC and Connect are spoken over TLS', async () => {
  for (const transport of [
    createGrpcTransport({ baseUrl: baseUrl(), nodeOptions: { ca } }),
    createConnectTransport({ baseUrl: baseUrl(), httpVersion: '2', nodeOptions: { ca } }),
    createConnectTransport({ baseUrl: baseUrl(), httpVersion: '1.1', nodeOptions: { ca } }),
  ])
    expect((await createClient(Health, transport).check({})).status).toBe(Status.SERVING);
});

test('a page is read over TLS, and a foreign one refused', async () => {
  const status = (headers: Record<string, string>) =>
    new Promise((done, failed) => {
      get(`${baseUrl()}/readyz`, { ca, headers }, (answer) => done(answer.resume().statusCode)).on('error', failed);
    });
  expect(await status({})).toBe(200);
  expect(await status({ origin: baseUrl() })).toBe(200);
  expect(await status({ origin: baseUrl().replace('https', 'http') })).toBe(403);
});

test('plaintext gets nothing from it', async () => {
  const transport = createConnectTransport({ baseUrl: baseUrl().replace('https', 'http'), httpVersion: '1.1' });
  const refused: unknown = await createClient(Health, transport)
    .check({})
    .catch((error: unknown) => error);
  expect([Code.Unavailable, Code.Unknown, Code.Aborted, Code.Internal]).toContain(ConnectError.from(refused).code);
});

test('the private socket needs no certificate', async () => {
  const nodeOptions = { socketPath: join(server.data, 'server.sock') };
  const transport = createConnectTransport({ baseUrl: 'http://localhost', httpVersion: '1.1', nodeOptions });
  expect((await createClient(Health, transport).check({})).status).toBe(Status.SERVING);
});
