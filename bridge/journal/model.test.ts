import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { delivered, lease } from '../../test/world/journal.ts';
import type { Journal } from './journal.ts';
import { openJournal } from './open.ts';

const LEASES = ['att_1', 'att_2'];

interface ModelItem {
  state: 'waits' | 'offering' | 'offered' | 'admitted' | 'processed';
  isReminded: boolean;
}

/** What a journal is, said much more simply: a list of ids for each lease, where to go on from, and the epoch. */
class Model {
  epoch = 'epo_1';
  readonly leases = new Map(LEASES.map((id) => [id, { cursor: '', items: new Map<string, ModelItem>() }]));
  readonly outbox: string[] = [];

  of(attachmentId: string) {
    return this.leases.get(attachmentId)!;
  }

  ids(attachmentId: string, wanted: (item: ModelItem) => boolean): string[] {
    return [...this.of(attachmentId).items].flatMap(([id, item]) => (wanted(item) ? [id] : []));
  }
}

/** The journal, and its file. */
class Real {
  readonly folder = mkdtempSync(join(tmpdir(), 'agentworks-model-'));
  file = join(this.folder, '0', 'journal.db');
  journal: Journal = openJournal(this.file);
  kills = 0;

  constructor() {
    this.journal.begin('epo_1');
    for (const id of LEASES) this.journal.saveLease(lease(id));
  }

  /** What a process that is killed leaves: the files as they are, and no closing. */
  kill(): void {
    const left = dirname(this.file);
    this.file = join(this.folder, `${++this.kills}`, 'journal.db');
    cpSync(left, dirname(this.file), { recursive: true, preserveTimestamps: true });
    this.journal.close();
    this.journal = openJournal(this.file);
  }

  close(): void {
    this.journal.close();
    rmSync(this.folder, { recursive: true });
  }
}

type Act = (model: Model, real: Real) => void;

class Step implements fc.Command<Model, Real> {
  readonly #what: string;
  readonly #act: Act;

  constructor(what: string, act: Act) {
    this.#what = what;
    this.#act = act;
  }

  check = () => true;
  toString = () => this.#what;

  run(model: Model, real: Real): void {
    this.#act(model, real);
    for (const id of LEASES) {
      const { cursor } = model.of(id);
      const waits = model.ids(id, ({ state }) => state === 'waits');
      expect(real.journal.lease(id)?.cursor).toBe(cursor);
      expect(real.journal.pending(id, 1_000).map(({ message }) => message.body)).toEqual(
        waits.map((message) => `body of ${message}`),
      );
      expect(real.journal.waiting(id).count).toBe(waits.length);
      expect(real.journal.unadmitted(id)).toEqual(
        model.ids(id, ({ state, isReminded }) => state === 'offered' && !isReminded),
      );
    }
    const heads = LEASES.flatMap((id) => model.outbox.filter((entry) => entry.startsWith(id)).slice(0, 1));
    const next = real.journal.outbox.next(9).map(({ attachmentId, submissionId }) => `${attachmentId} ${submissionId}`);
    expect(next.toSorted()).toEqual(heads.toSorted());
    expect(real.journal.outbox.count()).toBe(model.outbox.length);
  }
}

const onLease = fc.constantFrom(...LEASES);
const messageId = fc.integer({ min: 1, max: 12 }).map((n) => `m${n}`);
const messageIds = fc.uniqueArray(messageId, { minLength: 1, maxLength: 4 });
const about = fc.tuple(onLease, messageIds);

const receive = fc.tuple(onLease, messageIds, fc.boolean(), fc.nat()).map(
  ([id, ids, offeredBefore, n]) =>
    new Step(`receive(${id}, ${ids.join()}, ${offeredBefore ? 'offered before' : 'new'})`, (model, real) => {
      const { items } = model.of(id);
      const fresh = ids.filter((one) => !items.has(one));
      const got = real.journal.receive(
        id,
        ids.map((one) => delivered(one, {}, offeredBefore)),
        `c${n}`,
      );
      expect(got.map((item) => item.messageId)).toEqual(offeredBefore ? [] : fresh);
      for (const one of fresh) items.set(one, { state: offeredBefore ? 'offered' : 'waits', isReminded: false });
      model.of(id).cursor = `c${n}`;
    }),
);

/** Something that happens to those of the messages that are in one of some states. */
const moving = (
  name: string,
  from: readonly ModelItem['state'][],
  to: ModelItem['state'],
  act: (journal: Journal, id: string, ids: string[]) => void,
) =>
  about.map(
    ([id, ids]) =>
      new Step(`${name}(${id}, ${ids.join()})`, (model, real) => {
        act(real.journal, id, ids);
        for (const one of ids) {
          const item = model.of(id).items.get(one);
          if (item !== undefined && from.includes(item.state)) item.state = to;
        }
      }),
  );

const steps = [
  receive,
  receive,
  moving('offer', ['waits'], 'offering', (journal, id, ids) => journal.offer(id, ids, 'socket')),
  moving('offer', ['waits'], 'offering', (journal, id, ids) => journal.offer(id, ids, 'socket')),
  moving('emitted', ['offering'], 'offered', (journal, id, ids) => journal.emitted(id, ids)),
  moving('takeBack', ['offering'], 'waits', (journal, id, ids) => journal.takeBack(id, ids)),
  moving('admitted', ['waits', 'offering', 'offered'], 'admitted', (journal, id, ids) =>
    journal.acknowledge(id, ids, 'admitted'),
  ),
  moving('processed', ['waits', 'offering', 'offered', 'admitted'], 'processed', (journal, id, ids) =>
    journal.acknowledge(id, ids, 'processed'),
  ),
  about.map(
    ([id, ids]) =>
      new Step(`drop(${id}, ${ids.join()})`, (model, real) => {
        real.journal.drop(id, ids);
        for (const one of ids) model.of(id).items.delete(one);
      }),
  ),
  about.map(
    ([id, ids]) =>
      new Step(`reminded(${id}, ${ids.join()})`, (model, real) => {
        real.journal.reminded(id, ids);
        for (const one of ids) {
          const item = model.of(id).items.get(one);
          if (item !== undefined) item.isReminded = true;
        }
      }),
  ),
  fc.tuple(onLease, fc.constantFrom('s1', 's2', 's3'), fc.boolean()).map(
    ([attachmentId, submissionId, isDone]) =>
      new Step(`${isDone ? 'done' : 'add'}(${attachmentId}, ${submissionId})`, (model, real) => {
        const entry = `${attachmentId} ${submissionId}`;
        const at = model.outbox.indexOf(entry);
        if (isDone) {
          real.journal.outbox.done({ attachmentId, submissionId });
          if (at >= 0) model.outbox.splice(at, 1);
        } else {
          const request = { body: submissionId };
          expect(real.journal.outbox.add({ attachmentId, submissionId, request })).toBe(at < 0);
          if (at < 0) model.outbox.push(entry);
        }
      }),
  ),
  onLease.map(
    (id) =>
      new Step(`end(${id})`, (model, real) => {
        real.journal.endLease(id);
        real.journal.saveLease(lease(id));
        model.leases.set(id, { cursor: '', items: new Map() });
        for (const entry of [...model.outbox].filter((one) => one.startsWith(id)))
          model.outbox.splice(model.outbox.indexOf(entry), 1);
      }),
  ),
  fc.constantFrom('epo_1', 'epo_2').map(
    (epoch) =>
      new Step(`begin(${epoch})`, (model, real) => {
        real.journal.begin(epoch);
        if (epoch !== model.epoch) for (const kept of model.leases.values()) kept.cursor = '';
        model.epoch = epoch;
      }),
  ),
  fc.constant(
    new Step('kill', (model, real) => {
      real.kill();
      for (const { items } of model.leases.values())
        for (const item of items.values()) if (item.state === 'offering') item.state = 'offered';
    }),
  ),
];

test('BRG-4a, BRG-4b, BRG-4c whatever happens in which order, a kill loses nothing and offers nothing again', () => {
  fc.assert(
    fc.property(fc.commands(steps, { size: '+1', maxCommands: 60 }), (commands) => {
      const real = new Real();
      try {
        fc.modelRun(() => ({ model: new Model(), real }), commands);
      } finally {
        real.close();
      }
    }),
    { numRuns: Number(process.env['MODEL_RUNS'] ?? 25) },
  );
}, 60_000);
