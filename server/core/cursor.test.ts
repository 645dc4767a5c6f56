import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import { type Place, readCursor, writeCursor } from './cursor.ts';
import { Problem } from './problem.ts';

const place: Place = { kind: 'mailbox', owner: 'agt_1', epoch: 'epo_1' };

const refusal = (cursor: string, at: Place = place): Problem => {
  try {
    readCursor(at, cursor, '0');
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
  throw new Error('was accepted');
};

describe('a cursor', () => {
  test('gives back the position it was written with', () => {
    expect(readCursor(place, writeCursor(place, '41'), '0')).toBe('41');
  });

  test.each(['', '0'])('that is %o is the start', (cursor) => {
    expect(readCursor(place, cursor, '0')).toBe('0');
  });

  test('of another kind is refused by its kind', () => {
    const cursor = writeCursor({ ...place, kind: 'inbox' }, '41');
    expect(refusal(cursor).message).toBe(
      'the cursor belongs to another kind of list (inbox, this is mailbox); start again with 0',
    );
  });

  test('of another owner is refused', () => {
    expect(refusal(writeCursor({ ...place, owner: 'agt_2' }, '41')).message).toContain('another mailbox');
  });

  test('CON-5e of a database that was restored since is refused', () => {
    expect(refusal(writeCursor({ ...place, epoch: 'epo_0' }, '41')).message).toContain('restored');
  });

  test.each(['-1', '1.5', '99999999999999999999', '1 or 1=1'])('with the position %s is refused', (position) => {
    expect(refusal(writeCursor(place, position)).reason).toBe(Reason.BAD_CURSOR);
  });

  test.each([
    ['search', 'zzz'],
    ['search', 'now() x'],
    ['search', '2026-13-45 msg_01m8s9w0h2qcmvsq5f2tyhae2w'],
    ['agents', 'A B'],
    ['accounts', ''],
    ['attachments', 'zzz'],
    ['connections', '1/2'],
  ] as const)('of a %s with the position %o is refused', (kind, position) => {
    expect(refusal(writeCursor({ ...place, kind }, position), { ...place, kind }).message).toContain('is damaged');
  });

  test('of any other text is refused, never a wrong page', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), (text) => {
        fc.pre(text !== '0');
        expect(refusal(text)).toMatchObject({ reason: Reason.BAD_CURSOR, subject: 'after' });
      }),
    );
  });
});
