import { create } from '@bufbuild/protobuf';
import { expect, test } from 'vitest';
import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import { MessageSchema, MessageService } from '#gen/agentworks/messages/v1/messages_pb.ts';
import { refusing, StubServer } from '../../test/world/stub-server.ts';
import { connect } from './index.ts';
import { Refusal } from './refusal.ts';
import { watch } from './watch.ts';

const batch = (id: string, nextCursor: string) => ({
  messages: [create(MessageSchema, { messageId: id })],
  nextCursor,
});

test('after a break a watch goes on from its last cursor', async () => {
  const opened: string[] = [];
  const broken: string[] = [];
  const streams = [
    async function* () {
      yield batch('m1', 'c1');
      yield batch('m2', 'c2');
      throw new Refusal('UNAVAILABLE', 'the connection broke');
    },
    // An end without a reason is a break too.
    async function* () {
      yield batch('m3', 'c3');
    },
    async function* () {
      yield batch('m4', 'c4');
    },
  ];
  const seen: string[] = [];
  const batches = watch(
    (after) => {
      opened.push(after);
      return streams[opened.length - 1]!();
    },
    { after: 'c0', onBreak: ({ reason }) => broken.push(reason) },
  );
  for await (const { messages } of batches) {
    seen.push(...messages.map(({ messageId }) => messageId));
    if (seen.length === 4) break;
  }
  expect(seen).toEqual(['m1', 'm2', 'm3', 'm4']);
  expect(opened).toEqual(['c0', 'c2', 'c3']);
  expect(broken).toEqual(['UNAVAILABLE']);
});

test('a watch ends with the reason when the right to read ends', async () => {
  const batches = watch(async function* () {
    yield batch('m1', 'c1');
    throw new Refusal('SIGNED_OUT', 'revoked');
  });
  await batches.next();
  await expect(batches.next()).rejects.toMatchObject({ reason: 'SIGNED_OUT' });
});

test('a watch ends quietly when its signal says so, even while it waits to try again', async () => {
  const leaving = new AbortController();
  const batches = watch(
    () => {
      throw new Refusal('UNAVAILABLE', 'away');
    },
    { signal: leaving.signal, onBreak: () => leaving.abort() },
  );
  expect((await batches.next()).done).toBe(true);
});

test('MSG-13f over a real connection: killed in the middle, taken up from the cursor, and left without a stream open', async () => {
  const asked: string[] = [];
  let open = 0;
  await using server = new StubServer((router) =>
    router.service(MessageService, {
      async *watchMailbox({ after }, { signal }) {
        asked.push(after);
        open += 1;
        const left = new Promise((done) => signal.addEventListener('abort', done));
        yield after === '' ? batch('m1', 'c1') : batch('m2', 'c2');
        await left;
        open -= 1;
      },
    }),
  );
  const client = connect({ address: await server.listen() });
  const seen: string[] = [];
  for await (const { messages } of client.watchMailbox('bob')) {
    seen.push(messages[0]!.messageId);
    if (seen.length === 1) server.cut();
    else break;
  }
  expect(seen).toEqual(['m1', 'm2']);
  expect(asked).toEqual(['', 'c1']);
  await expect.poll(() => open).toBe(0);
  client.close();
});

test('an error in the middle of a stream keeps its reason', async () => {
  await using server = new StubServer((router) =>
    router.service(MessageService, {
      async *watchInbox() {
        yield batch('m1', 'c1');
        throw refusing(Reason.LEASE_ENDED, 'the name moved');
      },
    }),
  );
  const client = connect({ address: await server.listen() });
  const batches = client.watchInbox('inb_1')[Symbol.asyncIterator]();
  await batches.next();
  await expect(batches.next()).rejects.toMatchObject({ reason: 'LEASE_ENDED', sentence: 'the name moved' });
  client.close();
});
