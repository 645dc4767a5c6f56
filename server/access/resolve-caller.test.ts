import { afterEach, beforeEach, expect, test } from 'vitest';
import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import { type BareNode, bareNode, beside } from '../../test/world/bare-node.ts';
import { giveBack, takeDatabase } from '../../test/world/database.ts';
import { systemClock } from '../core/clock.ts';
import type { Where } from '../core/database.ts';
import { newLog } from '../core/log.ts';
import { newSecret } from '../core/secret.ts';
import { ensureLocalAccount } from './accounts.ts';
import { connections } from './children.ts';
import { login } from './login.ts';
import { Callers } from './resolve-caller.ts';

let where: Where;
let node: BareNode;
let callers: Callers;

beforeEach(async () => {
  where = await takeDatabase();
  node = await bareNode(where);
  await ensureLocalAccount(node.orm);
  callers = new Callers({ orm: node.orm, endings: node.endings, clock: systemClock, log: newLog('silent') });
});

afterEach(async () => {
  await callers.close();
  await node.close();
  await giveBack(where);
});

const signIn = () =>
  login({ orm: node.orm, loginKey: 'key', epoch: node.epoch }, 'socket', {
    loginKey: 'key',
    label: 'test',
    accountName: '',
  });

const accountId = async () => String((await beside(where, 'select id from account'))[0]!['id']);

/** A child of a login, as attaching makes it. */
const child = async (parentId: string) =>
  connections.giveChild(node.orm.em.fork(), {
    accountId: await accountId(),
    agentId: 'agt_1',
    parentId,
    label: 'alice',
  });

async function kindOf(secret: string): Promise<string | undefined> {
  const entry = await callers.enter(secret);
  entry?.right[Symbol.dispose]();
  return entry?.caller.kind;
}

test('a live secret is its caller, any other nobody', async () => {
  const { secret } = await signIn();
  expect(await kindOf(secret)).toBe('person');
  expect(await kindOf(newSecret())).toBeUndefined();
  expect(await kindOf(`${secret}x`)).toBeUndefined();
});

test('a caller is found among all who call at once', async () => {
  const people = [await signIn(), await signIn(), await signIn()];
  const entries = await Promise.all(people.map(({ secret }) => callers.enter(secret)));
  for (const entry of entries) entry?.right[Symbol.dispose]();
  expect(entries.map((entry) => entry?.caller.connectionId)).toEqual(people.map(({ connectionId }) => connectionId));
});

test('a revocation is seen by the very next question', async () => {
  const { secret, connectionId } = await signIn();
  expect(await kindOf(secret)).toBe('person');
  await beside(where, `update connection set revoke_time = now() where id = '${connectionId}'`);
  expect(await kindOf(secret)).toBeUndefined();
});

test('what ends between the question and the hold ends the hold', async () => {
  const { secret, connectionId } = await signIn();
  const entering = callers.enter(secret);
  node.endings.end({ id: connectionId, cause: 'revoked' });
  const entry = await entering;
  expect(entry?.right.ended?.cause).toBe('revoked');
});

test('a child stands and falls with its parent', async () => {
  const parent = await signIn();
  const { id, secret } = await child(parent.connectionId);
  const entry = await callers.enter(secret);
  expect(entry?.caller).toMatchObject({ kind: 'child', connectionId: id, agentId: 'agt_1' });
  node.endings.end({ id: parent.connectionId, cause: 'revoked' });
  expect(entry?.right.ended?.id).toBe(parent.connectionId);
  await beside(where, `update connection set revoke_time = now() where id = '${parent.connectionId}'`);
  expect(await kindOf(secret)).toBeUndefined();
});

test('a child keeps its id from parent to parent, and only its newest secret opens', async () => {
  const [first, second] = [await signIn(), await signIn()];
  const before = await child(first.connectionId);
  const after = await child(second.connectionId);
  expect(after.id).toBe(before.id);
  expect([await kindOf(before.secret), await kindOf(after.secret)]).toEqual([undefined, 'child']);
});

test('a child whose parent died is replaced, and never comes back', async () => {
  const [first, second] = [await signIn(), await signIn()];
  const before = await child(first.connectionId);
  await beside(where, `update connection set revoke_time = now() where id = '${first.connectionId}'`);
  const after = await child(second.connectionId);
  expect(after.id).not.toBe(before.id);
  await beside(where, `update connection set revoke_time = null where id = '${first.connectionId}'`);
  expect([await kindOf(before.secret), await kindOf(after.secret)]).toEqual([undefined, 'child']);
});

test('when a connection was last seen is written once a minute', async () => {
  const { secret, connectionId } = await signIn();
  const seen = async () =>
    (await beside(where, `select last_seen_time from connection where id = '${connectionId}'`))[0];
  expect(await seen()).toEqual({ last_seen_time: null });
  await kindOf(secret);
  await callers.close(); // Writes what it has collected.
  const first = await seen();
  expect(first?.['last_seen_time']).toBeInstanceOf(Date);
  await kindOf(secret);
  await callers.close();
  expect(await seen()).toEqual(first);
});

test('an account has a thousand live connections and no more', async () => {
  const id = await accountId();
  const last = await signIn();
  await beside(
    where,
    `insert into connection (id, account_id, kind, label, secret_hash)
     select 'con_' || n, '${id}', 'service', 'many', 'hash' || n from generate_series(1, 999) as n`,
  );
  const refusal = { reason: Reason.LIMIT_EXCEEDED, subject: 'connections', bound: 1_000 };
  await expect(signIn()).rejects.toMatchObject(refusal);
  await expect(child(last.connectionId)).rejects.toMatchObject(refusal);
  await beside(where, `update connection set revoke_time = now() where id = 'con_1'`);
  await signIn();
});
