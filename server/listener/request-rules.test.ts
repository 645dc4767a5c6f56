import { expect, test } from 'vitest';
import { foreignTo, type NodeRequest, type Rules } from './request-rules.ts';

const rules: Rules = {
  address: { host: '127.0.0.1', port: 7717 },
  allowedHosts: ['agents.example.com'],
  allowedOrigins: ['https://app.example.com'],
  trustedProxy: false,
  publicUrl: undefined,
};

type Headers = Record<string, string | undefined>;

const judged = (headers: Headers, { method = 'POST', with: given = rules, localAddress = '127.0.0.1' } = {}) => {
  const all = { host: 'localhost:7717', 'content-type': 'application/json', ...headers };
  const found = foreignTo(given, { method, headers: all, socket: { localAddress } } as unknown as NodeRequest);
  return found && `${found.status} ${found.problem.subject}`;
};

test.each(['localhost', 'LOCALHOST:7717', '127.0.0.1:1', '[::1]:7717', 'agents.example.com', 'agents.example.com:443'])(
  'a request to %s is for us',
  (host) => {
    expect(judged({ host })).toBeUndefined();
  },
);

test.each([
  undefined,
  '',
  'evil.example',
  'localhost.evil.example',
  'evil.example:7717',
  'localhost@evil.example',
  '127.0.0.1.evil.example',
  '10.0.0.1',
  'localhost/',
  '[::1',
])('ACC-7a a request to %j is not for us', (host) => {
  expect(judged({ host })).toBe('403 host');
});

test('ACC-7a a name that was turned towards us after its page was loaded is refused for pages too', () => {
  expect(judged({ host: 'evil.example:7717' }, { method: 'GET' })).toBe('403 host');
});

test('the address that a connection came in on names us, whatever it is', () => {
  const everywhere = { ...rules, address: { host: '0.0.0.0', port: 7717 } };
  expect(judged({ host: '10.0.0.1:7717' }, { with: everywhere, localAddress: '::ffff:10.0.0.1' })).toBeUndefined();
  expect(judged({ host: '0.0.0.0:7717' }, { with: everywhere, localAddress: '10.0.0.1' })).toBe('403 host');
});

test.each([undefined, 'http://localhost:7717', 'https://app.example.com'])('a page of %s may call', (origin) => {
  expect(judged({ origin })).toBeUndefined();
});

test.each([
  'null',
  'https://evil.example',
  'http://localhost',
  'http://localhost:8080',
  'https://localhost:7717',
  'http://app.example.com',
  'https://app.example.com.evil.example',
])('ACC-7b a page of %s may not, whatever it asks for', (origin) => {
  expect(judged({ origin })).toBe('403 origin');
  expect(judged({ origin }, { method: 'GET' })).toBe('403 origin');
  expect(judged({ origin }, { method: 'OPTIONS' })).toBe('403 origin');
});

test('behind a proxy that speaks TLS our own pages are https', () => {
  const proxied = { ...rules, trustedProxy: true };
  const own = { host: 'agents.example.com', origin: 'https://agents.example.com' };
  expect(judged(own, { with: proxied })).toBeUndefined();
  expect(judged(own)).toBe('403 origin');
});

test.each([
  'application/json',
  'application/json; charset=utf-8',
  'application/proto',
  'application/connect+json',
  'application/connect+proto',
  'application/grpc',
  'application/grpc+proto',
  'application/grpc-web+proto',
])('%s can be posted', (type) => {
  expect(judged({ 'content-type': type })).toBeUndefined();
});

test.each([
  undefined,
  'text/plain',
  'text/plain; application/json',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/json; charset=latin1',
  'application/jsonp',
  'application/grpc-web-text',
])('ACC-7c %s cannot be posted', (type) => {
  expect(judged({ 'content-type': type })).toBe('415 content-type');
});

test.each(['PUT', 'DELETE', 'PATCH', 'CONNECT'])('%s is not used', (method) => {
  expect(judged({}, { method })).toBe('405 method');
});
