import { expect, test } from 'vitest';
import { dropEndless, timeoutMs } from './deadline.ts';

test.each([
  ['5S', 5_000],
  ['50m', 50],
  ['596H', 2_145_600_000],
  ['597H', undefined],
  ['99999999H', undefined],
  ['soon', undefined],
  [undefined, undefined],
])('a timeout of %s is %s ms', (text, ms) => expect(timeoutMs(text)).toBe(ms));

test.each([
  ['grpc-timeout', '596H', true],
  ['grpc-timeout', '597H', false],
  ['grpc-timeout', 'soon', true],
  ['connect-timeout-ms', '2147483647', true],
  ['connect-timeout-ms', '2147483648', false],
  ['connect-timeout-ms', '99999999999', true],
])('%s of %s is left: %s', (name, value, isLeft) => {
  const header = new Headers({ [name]: value });
  dropEndless(header);
  expect(header.has(name)).toBe(isLeft);
});
