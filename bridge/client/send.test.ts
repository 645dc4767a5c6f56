import { create } from '@bufbuild/protobuf';
import { expect, test } from 'vitest';
import { SendResponseSchema } from '#gen/agentworks/messages/v1/messages_pb.ts';
import type { Submit } from './link.ts';
import { type ReasonName, Refusal } from './refusal.ts';
import { send } from './send.ts';

/** Refuses with these reasons in turn, then stores. */
function submitting(...reasons: ReasonName[]): { submit: Submit; ids: (string | undefined)[] } {
  const ids: (string | undefined)[] = [];
  return {
    ids,
    submit: async ({ submissionId }) => {
      ids.push(submissionId);
      const reason = reasons.shift();
      if (reason !== undefined) throw new Refusal(reason, 'refused');
      return create(SendResponseSchema, { messageId: 'msg_1' });
    },
  };
}

test('every attempt of a send carries the same submission id, made where none was given', async () => {
  const { submit, ids } = submitting('UNAVAILABLE', 'DEADLINE_EXCEEDED');
  expect((await send(submit, { body: 'x' })).messageId).toBe('msg_1');
  expect(ids).toHaveLength(3);
  expect(new Set(ids).size).toBe(1);
  expect(ids[0]).toMatch(/^[\x20-\x7e]{1,128}$/);
});

test('a submission id that was given is kept', async () => {
  const { submit, ids } = submitting('UNAVAILABLE');
  await send(submit, { body: 'x', submissionId: 'mine' });
  expect(ids).toEqual(['mine', 'mine']);
});

test('two sends never share a made id', async () => {
  const { submit, ids } = submitting();
  await send(submit, { body: 'x' });
  await send(submit, { body: 'x' });
  expect(new Set(ids).size).toBe(2);
});

test.each(['NOT_FOUND', 'SUBMISSION_CONFLICT', 'SIGNED_OUT', 'LIMIT_EXCEEDED', 'STORAGE_FULL'] as const)(
  '%s is final',
  async (reason) => {
    const { submit, ids } = submitting(reason);
    await expect(send(submit, { body: 'x' })).rejects.toMatchObject({ reason });
    expect(ids).toHaveLength(1);
  },
);

test('patience ends', async () => {
  const { submit } = submitting(...Array.from({ length: 1_000 }, () => 'UNAVAILABLE' as const));
  await expect(send(submit, { body: 'x' }, { patienceMs: 150 })).rejects.toMatchObject({ reason: 'UNAVAILABLE' });
});

test('whoever gives up is not kept waiting', async () => {
  const leaving = new AbortController();
  const { submit, ids } = submitting('UNAVAILABLE', 'UNAVAILABLE');
  const sent = send(
    (request, signal) => {
      leaving.abort();
      return submit(request, signal);
    },
    { body: 'x' },
    { signal: leaving.signal },
  );
  await expect(sent).rejects.toMatchObject({ reason: 'UNAVAILABLE' });
  expect(ids).toHaveLength(1);
});

const unconnected = () => new Refusal('UNAVAILABLE', 'Cannot reach it.', { isUnsent: true });

test('nothing was sent only where no attempt ever found a connection', async () => {
  const after = async (first: Refusal) => {
    const failures = [first];
    const submit = async () => {
      throw failures.shift() ?? unconnected();
    };
    return send(submit, { body: 'x' }, { patienceMs: 600 }).catch((error: unknown) => error);
  };
  expect(await after(unconnected())).toMatchObject({ isUnsent: true });
  expect(await after(new Refusal('UNAVAILABLE', 'The connection broke.'))).toMatchObject({
    reason: 'UNAVAILABLE',
    sentence: 'Cannot reach it.',
    isUnsent: false,
  });
});
