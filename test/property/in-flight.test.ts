import { setTimeout as later } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Known } from '../../server/access/callers.ts';
import { revokeConnection } from '../../server/access/revoke.ts';
import { updateConnection } from '../../server/access/update-connection.ts';
import { systemClock } from '../../server/core/clock.ts';
import { type Database, openClient, type Where } from '../../server/core/database.ts';
import { newLog } from '../../server/core/log.ts';
import { Batcher } from '../../server/messages/batcher.ts';
import type { ReadDeps } from '../../server/messages/read.ts';
import { watch } from '../../server/messages/watch.ts';
import { bareNode, type BareNode } from '../world/bare-node.ts';
import { dropDatabase, newDatabase } from '../world/database.ts';
import { Ground } from './ground.ts';

let where: Where;
let here: BareNode;
let there: BareNode;

beforeAll(async () => {
  where = await newDatabase();
  [here, there] = [await bareNode(where), await bareNode(where)];
});
afterAll(async () => {
  for (const node of [here, there]) await node.close();
  await dropDatabase(where);
});

const callerOn = (ground: Ground, name: string): Known => ({
  kind: 'connection',
  accountId: ground.id('account'),
  connectionId: ground.id(name),
  targets: null,
  scopes: null,
});

const good = { key: 's1', says: 'x', by: 'program', lease: 'none', answers: 'nothing', poison: 'none' } as const;

test('ACC-2d what is being stored on one server is there before a revocation on another is answered', async () => {
  const ground = new Ground(here);
  await ground.prepare();
  const slow = openClient(where);
  await slow.connect();
  // Somebody else's transaction holds the mailbox: the statement has judged its sender, and waits.
  await slow.query('begin');
  await slow.query('insert into mailbox (id, account_id) values ($1, $2)', [ground.id('bob'), ground.id('account')]);
  const batcher = new Batcher({ ...there, hops: 8, hasRoom: () => true });
  const storing = batcher.store(ground.submission({ ...good, to: ['bob'] }, 1));
  const waits = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  while ((await slow.query(waits)).rowCount === 0) await later(5);

  const deps = { ...here, log: newLog('silent'), endLeases: () => Promise.resolve([]) };
  const revoking = revokeConnection(deps, callerOn(ground, 'stranger'), ground.id('program'));
  const atAnswer = revoking.then(() => ground.mailbox('bob'));
  // Time enough for an answer that waits for nobody; one that waits as it must is not hurried by this.
  await Promise.race([atAnswer, later(500)]);
  await slow.query('rollback');
  await slow.end();
  const before = await atAnswer;
  expect(await storing).toMatchObject({ refusal: null });
  expect(await ground.mailbox('bob')).toEqual(before);
  expect(before).toHaveLength(1);
});

test('ACC-2g what was decided before a connection was narrowed is judged by what it has left', async () => {
  const ground = new Ground(here);
  await ground.prepare();
  const batcher = new Batcher({ ...there, hops: 8, hasRoom: () => true });
  const narrow = (...names: readonly string[]) =>
    updateConnection(here, callerOn(ground, 'stranger'), {
      connectionId: ground.id('program'),
      label: undefined,
      scopes: undefined,
      targets: names.map((name) => `agent:${name}`),
    });
  const store = (key: 's1' | 's2' | 's3' | 's4', ...to: string[]) =>
    batcher.store(ground.submission({ ...good, key, to }, Number(key.slice(1))));
  await narrow('alice', 'carol');
  expect(await store('s1', 'bob')).toMatchObject({ refusal: 'gone' });
  expect(await store('s2', 'carol', 'bob')).toMatchObject({ refusal: 'gone' });
  expect(await store('s3', 'carol')).toMatchObject({ refusal: null });
  await narrow('carol');
  expect(await store('s4', 'carol')).toMatchObject({ refusal: 'no_sender' });
  expect(await ground.mailbox('bob')).toEqual([]);
  expect(await ground.mailbox('carol')).toHaveLength(1);
});

test('RCP-5a a page that was read before the right to it ended is not released after', async () => {
  const ground = new Ground(here);
  await ground.prepare();
  const { endings } = here;
  // The right ends on this server while the page is read, which the database does not know yet.
  const fork = () => {
    endings.end({ id: ground.id('bob'), cause: 'unregistered' });
    return here.orm.em.fork();
  };
  const found = { id: ground.id('bob'), name: 'bob' };
  const agents = {
    find: () => Promise.resolve(found),
    forget: () => {},
    seen: () => {},
  } as unknown as ReadDeps['agents'];
  const orm = { em: { fork } } as unknown as Database;
  const deps = { ...here, orm, agents, clock: systemClock, sides: () => Promise.resolve(undefined) };
  const asked = { agentName: 'bob', inboxId: '', fromAgent: '', attachmentId: '', after: '0' };
  const pages = watch(deps, callerOn(ground, 'program'), asked, new AbortController().signal);
  await expect(pages.next()).rejects.toThrow('the name was unregistered');
});
