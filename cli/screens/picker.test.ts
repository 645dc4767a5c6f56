import { create } from '@bufbuild/protobuf';
import fc from 'fast-check';
import { createElement } from 'react';
import stringWidth from 'string-width';
import { afterEach, expect, test } from 'vitest';
import { Activity, type Session, SessionSchema } from '#gen/agentworks/bridge/v1/local_pb.ts';
import { openScreen } from '../../test/world/screen.ts';
import { frame } from './picker-frame.ts';
import { begin } from './picker-state.ts';
import { Picker, type PickerProps } from './picker.ts';

const sessions = Array.from({ length: 40 }, (_, at) =>
  create(SessionSchema, {
    sessionKey: `key-${at}`,
    provider: 'claude',
    title: at === 2 ? 'a\u001b[31m\u001b]0;evil\u0007b\u202e' : `${at % 2 === 0 ? 'Write' : 'Review'} the notes ${at}`,
    folder: `/home/alice/code/some/very/long/way/down/project-${at}`,
    activity: at % 3 === 0 ? Activity.BUSY : Activity.IDLE,
    route: 'claude-socket',
    hasPlugin: true,
  }),
);

let done: readonly Session[] | undefined;
const screens: { close(): Promise<void> }[] = [];

async function open(columns = 80, rows = 24, props: Partial<PickerProps> = {}) {
  done = undefined;
  const onDone = (chosen: readonly Session[]) => void (done = chosen);
  const node = createElement(Picker, { sessions, isUtf8: true, isColoured: false, onDone, ...props });
  const screen = await openScreen(node, columns, rows);
  screens.push(screen);
  return screen;
}

afterEach(async () => {
  for (const screen of screens.splice(0)) await screen.close();
});

const keys = () => done?.map(({ sessionKey }) => sessionKey);

test.each([
  [60, 20],
  [80, 24],
  [200, 60],
  [40, 10],
  [30, 7],
])('%i × %i: one pointer, no line wraps, and one row stays free', async (columns, rows) => {
  const screen = await open(columns, rows);
  const lines = screen.lines();
  expect(lines[0]).toMatch(/^Attach chats/);
  expect(lines.filter((line) => line.startsWith('❯'))).toHaveLength(1);
  expect(lines.findLastIndex((line) => line !== '')).toBeLessThanOrEqual(rows - 2);
  expect(lines.filter((line) => /^. ◯/.test(line)).every((line) => line.includes('Claude Code'))).toBe(true);
});

test('typing filters by title, folder, host and state; every word must fit', async () => {
  const screen = await open();
  await screen.press('review working');
  expect(screen.text()).toContain('Attach chats  7 of 40 live');
  await screen.press('\u0015zzz');
  expect(screen.text()).toContain('Nothing fits "zzz"');
});

test('Tab chooses several, also when both come in one read, and Enter attaches them', async () => {
  const screen = await open();
  await screen.press('\t\t');
  expect(screen.text()).toContain('2 chosen');
  await screen.press('\u001b[B');
  await screen.press('\r');
  expect(keys()).toEqual(['key-0', 'key-1']);
});

test('Enter alone attaches the one pointed at', async () => {
  const screen = await open();
  await screen.press('\u001b[B\u001b[B');
  await screen.press('\r');
  expect(done).toHaveLength(1);
});

test('ATT-5b all of them takes the very count that is listed, typed out', async () => {
  const screen = await open(60, 20);
  await screen.press('review');
  await screen.press('\u0001');
  expect(screen.text()).toContain('Type "all 20" to attach all 20 listed:');
  await screen.press('all 40\r');
  expect(done).toBeUndefined();
  await screen.press('all 20\r');
  expect(done).toHaveLength(20);
});

test('leaving chooses nothing', async () => {
  const screen = await open();
  await screen.press('\t\u0003');
  await screen.left;
  expect(done).toBeUndefined();
});

test('without colour there is no colour code, and the pointer is seen all the same; without UTF-8 there is only ASCII', async () => {
  const screen = await open(80, 24, { isUtf8: false });
  // oxlint-disable-next-line no-control-regex -- these are what it is about
  expect(screen.raw()).not.toMatch(/\u001b\[(?:\d+;)*(?:3[0-7]|4[0-7]|9[0-7]|2)(?:;\d+)*m/);
  expect(screen.lines().filter((line) => line.startsWith('> [ ]'))).toHaveLength(1);
  // A hostile title keeps its replacement mark.
  expect(screen.text().replaceAll('\ufffd', '')).toMatch(/^[\n\u0020-\u007e]*$/);
});

test('a title that another program wrote sets no terminal title and no colour', async () => {
  const screen = await open();
  expect(screen.titles).toEqual([]);
  expect(screen.raw()).not.toContain('\u001b[31m');
  expect(screen.text()).toContain('a\ufffd\ufffdb\ufffd');
});

test('the cursor stands where typing goes', async () => {
  const screen = await open();
  await screen.press('né漢');
  expect(screen.cursor()).toEqual({ x: 'Filter: né'.length + 2, y: 1 });
});

test('resizing keeps the pointer on its chat', async () => {
  const screen = await open();
  for (let at = 0; at < 20; at += 1) await screen.press('\u001b[B');
  for (const [columns, rows] of [
    [60, 20],
    [200, 60],
    [45, 12],
    [80, 24],
  ] as const)
    await screen.resize(columns, rows);
  expect(screen.lines().find((line) => line.startsWith('❯'))).toContain('Write the notes 20');
});

test('no line is ever wider than the screen, whatever the names hold', () => {
  const names = fc.string({ unit: 'binary', maxLength: 60 });
  fc.assert(
    fc.property(
      names,
      names,
      fc.integer({ min: 20, max: 130 }),
      fc.integer({ min: 6, max: 60 }),
      (title, folder, columns, rows) => {
        const state = begin([create(SessionSchema, { title: title.toWellFormed(), folder: folder.toWellFormed() })]);
        const { lines } = frame(state, { columns, rows }, true);
        expect(lines.length).toBeLessThan(rows);
        for (const { text } of lines) expect(stringWidth(text)).toBeLessThanOrEqual(columns);
      },
    ),
    { numRuns: 2_000 },
  );
});
