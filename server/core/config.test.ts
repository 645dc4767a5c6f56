import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readConfig } from './config.ts';
import { StartRefusal } from './start-refusal.ts';

const refusal = (env: NodeJS.ProcessEnv): string => {
  try {
    readConfig(env);
  } catch (error) {
    expect(error).toBeInstanceOf(StartRefusal);
    expect((error as StartRefusal).exitCode).toBe(2);
    return (error as Error).message;
  }
  throw new Error('it was accepted');
};

test('nothing needs to be set', () => {
  expect(readConfig({ XDG_DATA_HOME: '/home/ann/data' })).toEqual({
    data: '/home/ann/data/agentworks',
    address: { host: '127.0.0.1', port: 7717 },
    database: undefined,
    logLevel: 'info',
    tls: undefined,
    allowedHosts: [],
    allowedOrigins: [],
    trustedProxy: false,
    publicUrl: undefined,
    hops: 8,
    wakesPerPair: 20,
    wakesPerAccount: 600,
  });
});

test('an empty variable is one that is not set', () => {
  expect(readConfig({ AGENTWORKS_ADDRESS: '', DATABASE_URL: '' })).toMatchObject({ address: { port: 7717 } });
});

test('a misspelt setting is refused with the one that was meant', () => {
  expect(refusal({ AGENTWORKS_LOGLEVEL: 'debug' })).toBe(
    'AGENTWORKS_LOGLEVEL is not a setting; did you mean AGENTWORKS_LOG_LEVEL?',
  );
});

test('a setting like no other is refused with all there are', () => {
  expect(refusal({ AGENTWORKS_PORT: '80' })).toContain('the settings are AGENTWORKS_DATA, AGENTWORKS_ADDRESS');
});

test('what the command line and tests read in the same environment is let be', () => {
  expect(() => readConfig({ AGENTWORKS_CONFIG: '/a', AGENTWORKS_CRASH_POINT: 'batch.committed' })).not.toThrow();
});

describe('an address that others can reach', () => {
  test('is refused without encryption', () => {
    expect(refusal({ AGENTWORKS_ADDRESS: '0.0.0.0:7717' })).toContain('credentials would travel unencrypted');
    expect(refusal({ AGENTWORKS_ADDRESS: 'agents.example.com:7717' })).toContain('AGENTWORKS_TRUSTED_PROXY=1');
  });

  test('is taken behind a trusted proxy', () => {
    const config = readConfig({ AGENTWORKS_ADDRESS: '0.0.0.0:7717', AGENTWORKS_TRUSTED_PROXY: '1' });
    expect(config.address).toEqual({ host: '0.0.0.0', port: 7717 });
  });

  test('is taken with a certificate', () => {
    const folder = mkdtempSync(join(tmpdir(), 'agentworks-config-'));
    for (const name of ['cert', 'key']) writeFileSync(join(folder, name), name);
    const env = { AGENTWORKS_TLS_CERT: join(folder, 'cert'), AGENTWORKS_TLS_KEY: join(folder, 'key') };
    expect(readConfig({ ...env, AGENTWORKS_ADDRESS: '[::]:443' }).tls).toEqual({ cert: 'cert', key: 'key' });
  });
});

test.each(['localhost:1', '127.0.0.2:1', '[::1]:1'])('%s is loopback', (address) => {
  expect(readConfig({ AGENTWORKS_ADDRESS: address }).address.port).toBe(1);
});

test.each([
  [{ AGENTWORKS_ADDRESS: '7717' }, 'AGENTWORKS_ADDRESS is not host:port'],
  [{ AGENTWORKS_ADDRESS: '127.0.0.1:70000' }, 'AGENTWORKS_ADDRESS is not host:port'],
  [{ AGENTWORKS_ADDRESS: '[localhost]:1' }, 'AGENTWORKS_ADDRESS is not host:port'],
  [{ AGENTWORKS_LOG_LEVEL: 'loud' }, 'AGENTWORKS_LOG_LEVEL is "loud"; it may be fatal'],
  [{ AGENTWORKS_HOPS: '-1' }, 'AGENTWORKS_HOPS is "-1"; it must be a whole number'],
  [{ AGENTWORKS_TRUSTED_PROXY: 'yes' }, 'AGENTWORKS_TRUSTED_PROXY is "yes"'],
  [{ AGENTWORKS_ALLOWED_ORIGINS: 'app.example.com' }, 'which is not like https://app.example.com'],
  [{ AGENTWORKS_ALLOWED_ORIGINS: 'https://app.example.com/' }, 'which is not like https://app.example.com'],
  [{ AGENTWORKS_ALLOWED_HOSTS: 'https://a' }, 'which is not like agents.example.com'],
  [{ AGENTWORKS_TLS_CERT: '/nowhere/cert.pem' }, 'names /nowhere/cert.pem, which cannot be read (ENOENT)'],
  [{ DATABASE_URL: 'mysql://a/b' }, 'DATABASE_URL is not a PostgreSQL URL'],
])('%j is refused: %s', (env, sentence) => {
  expect(refusal(env)).toContain(sentence);
});

test('a certificate without its key is refused', () => {
  const folder = mkdtempSync(join(tmpdir(), 'agentworks-config-'));
  writeFileSync(join(folder, 'cert'), 'cert');
  expect(refusal({ AGENTWORKS_TLS_CERT: join(folder, 'cert') })).toContain('go together');
});
