import { expect, test } from 'vitest';
import { versionTrouble } from './versions.ts';

test('BRG-8c versions that are the same, or not known yet, are no trouble', () => {
  expect(versionTrouble({ ours: '0.2.0', bridge: '0.2.0', server: '0.2.0' })).toBe('');
  expect(versionTrouble({ ours: '0.2.0', bridge: '0.2.0', server: '' })).toBe('');
});

test('BRG-8c a bridge that was not restarted after an update says so', () => {
  expect(versionTrouble({ ours: '0.3.0', bridge: '0.2.0', server: '0.3.0' })).toContain('agentworks bridge restart');
});

test('BRG-8c a bridge newer than the server says to update the server first, an older one to update itself', () => {
  expect(versionTrouble({ ours: '0.10.0', bridge: '0.10.0', server: '0.9.1' })).toContain('Update the server first');
  expect(versionTrouble({ ours: '0.9.1', bridge: '0.9.1', server: '0.10.0' })).toContain('npm install -g agentworks');
});
