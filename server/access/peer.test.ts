import { expect, test } from 'vitest';
import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import { peerOf } from './peer.ts';
import { proveOwner } from './prove.ts';

test.each([
  [true, undefined, 'socket'],
  [false, '127.0.0.1', 'loopback'],
  [false, '127.8.9.10', 'loopback'],
  [false, '::1', 'loopback'],
  [false, '::ffff:127.0.0.1', 'loopback'],
  [false, '192.168.1.4', 'elsewhere'],
  [false, '::ffff:192.168.1.4', 'elsewhere'],
  [false, '127.evil.example', 'elsewhere'],
  [false, undefined, 'elsewhere'],
] as const)('a connection (socket: %s) from %s came from: %s', (isSocket, remoteAddress, peer) => {
  expect(peerOf({ isSocket, remoteAddress })).toBe(peer);
});

test('the login key opens nothing to somebody elsewhere', () => {
  expect(() => proveOwner('key', { loginKey: 'key', peer: 'elsewhere' })).toThrow(
    expect.objectContaining({ reason: Reason.NOT_ALLOWED, subject: 'login_key' }),
  );
});

test.each(['', 'ke', 'keys', 'KEY'])('another key is refused, whatever its length: %s', (loginKey) => {
  const proving = () => proveOwner('key', { loginKey, peer: 'socket' });
  expect(proving).toThrow(expect.objectContaining({ reason: Reason.SIGNED_OUT, subject: 'login_key' }));
});

test.each(['socket', 'loopback'] as const)('the key is proof over the %s', (peer) => {
  expect(() => proveOwner('key', { loginKey: 'key', peer })).not.toThrow();
});
