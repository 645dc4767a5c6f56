import { expect, test } from 'vitest';
import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import { Endings } from './endings.ts';

test('ending a right stops whoever holds it, at once', () => {
  const endings = new Endings();
  using hold = endings.hold('con_1', 'att_1');
  hold.check();
  endings.end({ id: 'att_1', cause: 'moved' });
  expect(() => hold.check()).toThrow(expect.objectContaining({ reason: Reason.LEASE_ENDED }));
  expect(hold.signal.aborted).toBe(true);
});

test('the first cause is the one that is told', () => {
  const endings = new Endings();
  using hold = endings.hold('con_1', 'att_1');
  endings.end({ id: 'con_1', cause: 'revoked' });
  endings.end({ id: 'att_1', cause: 'detached' });
  expect(() => hold.check()).toThrow(expect.objectContaining({ reason: Reason.SIGNED_OUT }));
});

test('a hold that was given back hears nothing', () => {
  const endings = new Endings();
  const hold = endings.hold('con_1');
  hold[Symbol.dispose]();
  endings.end({ id: 'con_1', cause: 'revoked' });
  hold.check();
});
