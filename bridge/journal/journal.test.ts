import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { delivered, lease } from '../../test/world/journal.ts';
import type { Journal } from './journal.ts';
import { openJournal } from './open.ts';

const HOUR = 60 * 60 * 1_000;
let folder: string;
let file: string;
let now: number;
let journal: Journal;

const open = () => openJournal(file, { now: () => now });
const reopen = () => {
  journal.close();
  return (journal = open());
};
const ids = (items: readonly { messageId: string }[]) => items.map(({ messageId }) => messageId);
const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);
const pending = () => ids(journal.pending('att_1', 3_000));

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'agentworks-journal-'));
  file = join(folder, 'own', 'journal.db');
  now = 1_000 * HOUR;
  journal = open();
  journal.begin('epo_1');
  journal.saveLease(lease('att_1'));
});
afterEach(() => {
  journal.close();
  rmSync(folder, { recursive: true, force: true });
});

test('a lease is known again, with everything of it', () => {
  journal.update('att_1', { guidanceTime: 7, setupDone: true, title: 'my chat' });
  const expected = { ...lease('att_1'), guidanceTime: 7, setupDone: true, title: 'my chat' };
  expect(reopen().leases()).toEqual([expected]);
  journal.update('att_1', { guidanceTime: undefined });
  expect(journal.lease('att_1')?.guidanceTime).toBeUndefined();
});

test('a lease that is saved again keeps its place, its secret and when it was guided', () => {
  journal.receive('att_1', [delivered('m1')], 'c1');
  journal.update('att_1', { guidanceTime: 7, setupDone: true });
  const process = { pid: 99, startTime: 'later', bootId: 'boot' };
  journal.saveLease({ ...lease('att_1'), childSecret: '', process, cursor: 'start' });
  expect(journal.lease('att_1')).toMatchObject({
    cursor: 'c1',
    childSecret: 'aw1_att_1',
    guidanceTime: 7,
    setupDone: true,
    process,
  });
  expect(pending()).toEqual(['m1']);
});

test('a lease that ended leaves nothing, and takes nothing that was on its way', () => {
  journal.receive('att_1', [delivered('m1')], 'c1');
  journal.outbox.add({ attachmentId: 'att_1', submissionId: 's1', request: { body: 'x' } });
  journal.endLease('att_1');
  expect(journal.receive('att_1', [delivered('m2')], 'c2')).toEqual([]);
  expect([journal.leases(), pending(), journal.outbox.count()]).toEqual([[], [], 0]);
});

test('what is received comes back whole, oldest first, with the cursor', () => {
  const received = journal.receive('att_1', [delivered('m1', { body: 'ü\n1' }), delivered('m2')], 'c2');
  expect(ids(received)).toEqual(['m1', 'm2']);
  reopen();
  const [first] = journal.pending('att_1', 1);
  expect(first).toMatchObject({ messageId: 'm1', state: 'received', mayWake: true, message: { body: 'ü\n1' } });
  expect(pending()).toEqual(['m1', 'm2']);
  expect(journal.lease('att_1')?.cursor).toBe('c2');
});

test('BRG-4c an id that comes again is suppressed, across a restart too', () => {
  journal.receive('att_1', [delivered('m1')], 'c1');
  journal.offer('att_1', ['m1'], 'socket');
  journal.emitted('att_1', ['m1']);
  reopen();
  expect(ids(journal.receive('att_1', [delivered('m1'), delivered('m2')], 'c2'))).toEqual(['m2']);
  expect(pending()).toEqual(['m2']);
});

test('what an earlier lease was offered is kept without its body and is not pending', () => {
  const received = journal.receive('att_1', [delivered('m1', {}, true), delivered('m2')], 'c2');
  expect([ids(received), pending(), journal.unadmitted('att_1')]).toEqual([['m2'], ['m2'], ['m1']]);
});

test('how much waits, and since when', () => {
  expect(journal.waiting('att_1')).toEqual({ count: 0 });
  journal.receive('att_1', [delivered('m1', { sentAt: 5_000 }), delivered('m2', { sentAt: 9_000 })], 'c2');
  expect(journal.waiting('att_1')).toEqual({ count: 2, oldest: 5_000, newest: 9_000 });
});

test('an offer that was definitely not delivered is pending again', () => {
  journal.receive('att_1', [delivered('m1'), delivered('m2')], 'c2');
  journal.offer('att_1', ['m1', 'm2'], 'socket');
  expect(pending()).toEqual([]);
  journal.takeBack('att_1', ['m1']);
  expect(journal.pending('att_1', 9)).toMatchObject([{ messageId: 'm1', route: '', message: { body: 'body of m1' } }]);
});

test('an offer that was emitted is not taken back', () => {
  journal.receive('att_1', [delivered('m1')], 'c1');
  journal.offer('att_1', ['m1'], 'socket');
  journal.emitted('att_1', ['m1']);
  journal.takeBack('att_1', ['m1']);
  expect(pending()).toEqual([]);
});

test('BRG-4b an offer that a crash cut off stays an offer and is reminded of', () => {
  journal.receive('att_1', [delivered('m1')], 'c1');
  journal.offer('att_1', ['m1'], 'socket');
  expect(journal.unadmitted('att_1')).toEqual([]);
  reopen();
  journal.takeBack('att_1', ['m1']);
  expect([pending(), journal.unadmitted('att_1')]).toEqual([[], ['m1']]);
});

test('whoever was reminded, or admitted, is not reminded again', () => {
  journal.receive(
    'att_1',
    ['m1', 'm2', 'm3'].map((id) => delivered(id)),
    'c3',
  );
  journal.offer('att_1', ['m1', 'm2', 'm3'], 'socket');
  journal.emitted('att_1', ['m1', 'm2', 'm3']);
  journal.acknowledge('att_1', ['m2'], 'admitted');
  journal.reminded('att_1', ['m1']);
  expect(reopen().unadmitted('att_1')).toEqual(['m3']);
});

test('what is acknowledged while it waits is not offered any more', () => {
  journal.receive('att_1', [delivered('m1')], 'c1');
  journal.acknowledge('att_1', ['m1'], 'processed');
  journal.offer('att_1', ['m1'], 'socket');
  journal.takeBack('att_1', ['m1']);
  expect([pending(), journal.unadmitted('att_1')]).toEqual([[], []]);
});

test('BRG-8e another database starts the cursors anew, and suppresses nothing that is new in it', () => {
  journal.receive('att_1', [delivered('m1')], 'c1');
  journal.begin('epo_1');
  expect(journal.lease('att_1')?.cursor).toBe('c1');
  journal.begin('epo_2');
  expect(journal.lease('att_1')?.cursor).toBe('');
  expect(ids(journal.receive('att_1', [delivered('m1'), delivered('m9')], 'd2'))).toEqual(['m9']);
});

test('BRG-5a, BRG-5b a session holds 2,000 messages; what needs no more attention makes room, and what waits does not', () => {
  for (let n = 0; n < 2_000; n += 20)
    journal.receive(
      'att_1',
      Array.from({ length: 20 }, (_, i) => delivered(`m${n + i}`)),
      `c${n}`,
    );
  expect(journal.hasRoom('att_1')).toBe(false);
  expect(() => journal.receive('att_1', [delivered('one more')], 'c')).toThrow(/2000 messages of one session/);
  expect([pending().length, journal.lease('att_1')?.cursor]).toEqual([2_000, 'c1980']);
  const offered = ['m0', 'm1', 'm2'];
  journal.offer('att_1', offered, 'socket');
  journal.emitted('att_1', offered);
  expect(() => journal.receive('att_1', [delivered('one more')], 'c')).toThrow(/limit/);
  journal.acknowledge('att_1', ['m2'], 'processed');
  journal.receive('att_1', [delivered('one more')], 'c');
  expect(journal.unadmitted('att_1')).toEqual(['m0', 'm1']);
  expect(ids(journal.receive('att_1', [delivered('m0'), delivered('m1')], 'c'))).toEqual([]);
});

test('BRG-5a, BRG-5b all bodies together are at most 32 MiB, and clearing one makes room', () => {
  const large = 'x'.repeat(256 * 1024 - 200);
  for (let n = 0; n < 128; n++) journal.receive('att_1', [delivered(`m${n}`, { body: large })], `c${n}`);
  const more = () => journal.receive('att_1', [delivered('more', { body: large })], 'c');
  expect(more).toThrow(/33554432 bytes/);
  const send = { attachmentId: 'att_1', submissionId: 's1', request: { body: large } };
  expect(() => journal.outbox.add(send)).toThrow(/33554432 bytes/);
  journal.offer('att_1', ['m0'], 'socket');
  expect(more).toThrow(/limit/);
  journal.emitted('att_1', ['m0']);
  expect(ids(more())).toEqual(['more']);
});

test('BRG-4c, BRG-5b what was offered is forgotten after 7 days; what waits is not, nor the place to go on from', () => {
  journal.receive('att_1', [delivered('m1'), delivered('m2')], 'c2');
  journal.offer('att_1', ['m1'], 'socket');
  journal.emitted('att_1', ['m1']);
  now += 7 * 24 * HOUR - 1;
  expect(reopen().unadmitted('att_1')).toEqual(['m1']);
  now += 2;
  expect(reopen().unadmitted('att_1')).toEqual([]);
  expect([pending(), journal.lease('att_1')?.cursor]).toEqual([['m2'], 'c2']);
});

test('the outbox gives the oldest of each sender, in order, until it is done', () => {
  journal.saveLease(lease('att_2'));
  const add = (attachmentId: string, submissionId: string, body = 'x') =>
    journal.outbox.add({ attachmentId, submissionId, request: { body, target: 'agent:bob' } });
  expect([add('att_1', 's1'), add('att_1', 's2'), add('att_2', 's1')]).toEqual([true, true, true]);
  expect(add('att_1', 's2')).toBe(false);
  expect(() => add('att_1', 's2', 'other')).toThrow(/other content/);
  reopen();
  const next = () => journal.outbox.next(9).map(({ attachmentId, submissionId }) => `${attachmentId} ${submissionId}`);
  expect(next()).toEqual(['att_1 s1', 'att_2 s1']);
  expect(journal.outbox.next(1)).toMatchObject([{ request: { body: 'x', target: 'agent:bob' } }]);
  journal.outbox.done({ attachmentId: 'att_1', submissionId: 's1' });
  expect([next(), journal.outbox.count()]).toEqual([['att_2 s1', 'att_1 s2'].toReversed(), 2]);
});

test('the journal is a 0600 file in a 0700 folder, whatever the umask', () => {
  const before = process.umask(0);
  journal.close();
  rmSync(join(folder, 'own'), { recursive: true });
  journal = open();
  journal.begin('epo_1');
  process.umask(before);
  expect([mode(join(folder, 'own')), mode(file), mode(`${file}-wal`)]).toEqual(['700', '600', '600']);
});

test.each([0o644, 0o640, 0o606])('a journal with mode %o is refused, and the refusal says what to run', (bits) => {
  journal.close();
  chmodSync(file, bits);
  expect(open).toThrow(`chmod 600 ${file}`);
});

test('a journal in a folder that is open to others is refused', () => {
  journal.close();
  chmodSync(join(folder, 'own'), 0o750);
  expect(open).toThrow(/chmod 700/);
});

test.each(['', '-wal'])('a link in place of journal%s is refused', (which) => {
  journal.close();
  rmSync(`${file}${which}`, { force: true });
  symlinkSync(join(folder, 'elsewhere'), `${file}${which}`);
  expect(open).toThrow(/symbolic link/);
});

test.runIf(process.getuid?.() === 0)("another user's journal is refused", () => {
  journal.close();
  chownSync(file, 1, 1);
  expect(open).toThrow(/belongs to user 1/);
});

test('a second bridge on the same journal is refused', () => {
  expect(open).toThrow(/in use by another bridge/);
});

test('a file that is no journal is refused', () => {
  journal.close();
  writeFileSync(file, 'x'.repeat(5_000));
  expect(open).toThrow(/cannot be used any more/);
});

test('a journal of a newer version is refused', () => {
  journal.close();
  const newer = `new (require('node:sqlite').DatabaseSync)(process.argv[1]).exec('pragma user_version = 99')`;
  execFileSync(process.execPath, ['-e', newer, file]);
  expect(open).toThrow(/newer AgentWorks/);
});
