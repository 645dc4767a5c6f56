import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { Code, ConnectError, createRouterTransport } from '@connectrpc/connect';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  BridgeService,
  EndReason,
  EvidenceKind,
  type LinkRequest,
  type LinkResponseSchema,
} from '#gen/agentworks/bridge/v1/bridge_pb.ts';
import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import { delivered, lease } from '../../test/world/journal.ts';
import type { Journal } from '../journal/journal.ts';
import { openJournal } from '../journal/open.ts';
import type { BridgeLink } from './bridge-link.ts';
import { openLink } from './open.ts';

type Down = NonNullable<MessageInitShape<typeof LinkResponseSchema>['frame']>;
type Heard = LinkRequest['frame'];
type Script = (frame: Heard) => readonly Down[] | 'break';

const way = { route: 'stop-hook', wakes: false, routeDetail: '' };
let folder: string;
let journal: Journal;
let link: BridgeLink;
let heard: Heard[];
let pending: string[];
let untold: string[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'agentworks-scripted-'));
  journal = openJournal(join(folder, 'own', 'journal.db'));
  journal.saveLease(lease('att_1'));
  [heard, pending, untold] = [[], [], []];
});
afterEach(async () => {
  await link.close();
  journal.close();
  rmSync(folder, { recursive: true });
});

/** What any server answers. */
const willing = (frame: Heard): Down[] => {
  if (frame.case === 'hello') return [{ case: 'welcome', value: { version: '9.9.9', epoch: 'epo_1' } }];
  if (frame.case === 'bind')
    return [{ case: 'bound', value: { leases: frame.value.leases.map(({ attachmentId }) => ({ attachmentId })) } }];
  return frame.case === 'submissions' ? frame.value.submissions.map(({ tag }) => stored(tag)) : [];
};
const stored = (tag: bigint): Down => ({
  case: 'results',
  value: { results: [{ tag, outcome: { case: 'sent', value: { messageId: `stored ${tag}` } } }] },
});
const refusedFor = (tag: bigint, reason: Reason): Down => ({
  case: 'results',
  value: { results: [{ tag, outcome: { case: 'problem', value: { reason, sentence: 'not now' } } }] },
});
const ping: Down = { case: 'ping', value: { nonce: 7n } };

/** A link to a server that follows a script on each connection in turn, and the last one for ever. */
async function linked(...scripts: Script[]): Promise<void> {
  const transport = createRouterTransport((router) =>
    router.service(BridgeService, {
      async *link(frames) {
        const answer = scripts.length > 1 ? scripts.shift()! : scripts[0]!;
        for await (const { frame } of frames) {
          heard.push(frame);
          const downs = answer(frame);
          if (downs === 'break') throw new ConnectError('gone', Code.Unavailable);
          for (const down of downs) yield { frame: down };
        }
      },
    }),
  );
  link = openLink({
    open: async () => ({ transport, close: () => {} }),
    journal,
    hello: { version: '0.1.0', bootId: 'boot', computer: 'desk' },
    onPending: (attachmentId) => pending.push(attachmentId),
    onEnded: () => {},
    onUntold: (_id, { messageIds }, { reason }) => untold.push(`${messageIds.join()}: ${reason}`),
  });
  await link.bind({ attachmentId: 'att_1' }, way);
  await expect.poll(() => pending).toContain('att_1');
}

const submitted = () =>
  heard.flatMap((frame) =>
    frame.case === 'submissions' ? frame.value.submissions.map(({ request }) => request!) : [],
  );
const send = (body: string) => link.send('att_1', { target: 'agent:alice', body, submissionId: body });

test('what is refused for a while keeps its place: nothing of its sender overtakes it', async () => {
  let isFull = true;
  await linked((frame) => {
    if (frame.case !== 'submissions' || !isFull) return willing(frame);
    return frame.value.submissions.map(({ tag }) => refusedFor(tag, Reason.STORAGE_FULL));
  });
  expect(await send('a')).toBe('queued');
  isFull = false;
  const [, b] = await Promise.all([send('a'), send('b')]);
  expect(b).toMatchObject({ messageId: expect.stringContaining('stored') });
  expect(submitted().map(({ body }) => body)).toEqual(['a', 'a', 'b']);
  expect(journal.outbox.count()).toBe(0);
});

test('a ping is answered, and what was refused for a while is asked again', async () => {
  let times = 0;
  await linked((frame) => {
    if (frame.case !== 'submissions') return willing(frame);
    return frame.value.submissions.flatMap(({ tag }) =>
      ++times === 1 ? [refusedFor(tag, Reason.TOO_OFTEN), ping] : [stored(tag)],
    );
  });
  expect(await send('a')).toBe('queued');
  await expect.poll(() => journal.outbox.count()).toBe(0);
  expect(heard).toContainEqual(
    expect.objectContaining({ case: 'pong', value: expect.objectContaining({ nonce: 7n }) }),
  );
});

test('a break leaves nobody waiting; what was not answered goes again with the id it had', async () => {
  await linked((frame) => (frame.case === 'submissions' ? 'break' : willing(frame)), willing);
  expect(await send('a')).toBe('queued');
  await expect.poll(() => journal.outbox.count()).toBe(0);
  expect(submitted().map(({ submissionId, attachmentId }) => `${submissionId} of ${attachmentId}`)).toEqual([
    'a of att_1',
    'a of att_1',
  ]);
});

test('a claim that a break cuts off is refused: nothing may be emitted', async () => {
  await linked((frame) => (frame.case === 'claim' ? 'break' : willing(frame)), willing);
  await expect(link.claim('att_1', ['m1'], 'stop-hook', false)).rejects.toMatchObject({ reason: 'UNAVAILABLE' });
});

const acknowledged = () =>
  heard.flatMap((frame) =>
    frame.case === 'acknowledge'
      ? [`${frame.value.request!.messageIds.join()} ${frame.value.request!.acknowledgement}`]
      : [],
  );
const taken = (frame: Heard): Down[] =>
  frame.case === 'acknowledge'
    ? [
        {
          case: 'results',
          value: {
            results: [
              {
                tag: frame.value.tag,
                outcome: { case: 'acknowledged', value: { acknowledgedIds: frame.value.request!.messageIds } },
              },
            ],
          },
        },
      ]
    : willing(frame);

test('BRG-2b an acknowledgement that a break cuts off is kept, and those after it wait behind it; all are told once it is back', async () => {
  journal.receive('att_1', [delivered('m1'), delivered('m2')], 'c1');
  journal.offer('att_1', ['m1', 'm2'], 'stop-hook');
  journal.emitted('att_1', ['m1', 'm2']);
  await linked((frame) => (frame.case === 'acknowledge' ? 'break' : willing(frame)), taken);
  expect(await link.acknowledge('att_1', ['m1'], 'admitted')).toBe('kept');
  expect(await link.acknowledge('att_1', ['m2'], 'admitted')).toBe('kept');
  expect(await link.acknowledge('att_1', ['m1'], 'processed')).toBe('kept');
  expect(journal.unadmitted('att_1')).toEqual([]);
  await expect.poll(() => journal.acknowledgements.waiting()).toEqual([]);
  expect(acknowledged()).toEqual(['m1 1', 'm1 1', 'm2 1', 'm1 2']);
  expect(await link.acknowledge('att_1', ['m2'], 'processed')).toMatchObject({ acknowledgedIds: ['m2'] });
});

test('an acknowledgement refused for a while keeps its place; one that the server refuses holds up nothing', async () => {
  const answers = [Reason.TOO_OFTEN, Reason.NOT_ALLOWED];
  await linked((frame) => {
    const reason = frame.case === 'acknowledge' ? answers.shift() : undefined;
    return frame.case === 'acknowledge' && reason !== undefined
      ? [refusedFor(frame.value.tag, reason), ping]
      : taken(frame);
  });
  expect(await link.acknowledge('att_1', ['m1'], 'admitted')).toBe('kept');
  expect(await link.acknowledge('att_1', ['m2'], 'admitted')).toBe('kept');
  await expect.poll(() => journal.acknowledgements.waiting()).toEqual([]);
  expect(acknowledged()).toEqual(['m1 1', 'm1 1', 'm2 1']);
  expect(untold).toEqual(['m1: NOT_ALLOWED']);
});

test('more than the server takes at once is refused before it is promised', async () => {
  await linked(willing);
  const ids = Array.from({ length: 101 }, (_, n) => `m${n}`);
  await expect(link.acknowledge('att_1', ids, 'admitted')).rejects.toMatchObject({
    reason: 'LIMIT_EXCEEDED',
    bound: 100,
  });
  await expect(link.acknowledge('att_1', [], 'admitted')).rejects.toMatchObject({ reason: 'BAD_FIELD' });
});

test('hundreds of leases are taken up again in frames that the server takes', async () => {
  await linked((frame) => (frame.case === 'evidence' ? 'break' : willing(frame)), willing);
  for (let n = 2; n <= 450; n++) {
    journal.saveLease(lease(`att_${n}`));
    await link.bind({ attachmentId: `att_${n}` }, way);
  }
  heard.length = 0;
  link.evidence('att_1', { kind: EvidenceKind.PERSON_TURN });
  const sizes = () => heard.flatMap((frame) => (frame.case === 'bind' ? [frame.value.leases.length] : []));
  await expect.poll(sizes).toEqual([200, 200, 50]);
});

test('another link has the lease now: nobody is kept waiting for it here, and nothing is forgotten', async () => {
  const ended: Down = { case: 'ended', value: { attachmentId: 'att_1', reason: EndReason.TAKEN_UP_ELSEWHERE } };
  await linked((frame) => (frame.case === 'submissions' ? [ended] : willing(frame)));
  expect(await Promise.all([send('a'), send('b')])).toEqual(['queued', 'queued']);
  expect(await send('c')).toBe('queued');
  expect([journal.lease('att_1')?.attachmentId, journal.outbox.count(), link.serverVersion]).toEqual([
    'att_1',
    3,
    '9.9.9',
  ]);
});
