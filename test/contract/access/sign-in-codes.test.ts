import { expect, test } from 'vitest';
import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import { addCode, takeCode } from '../../../server/access/store/sign-in-codes.ts';
import { rpc } from '../../doors/rpc.ts';
import type { Person } from '../../world/people.ts';
import { inWorld, type World } from '../../world/world.ts';
import { proves } from '../proves.ts';
import { noManagingTool } from '../through.ts';

const redeem = (world: World, code: string) => world.first.running.deps.signInCodes.redeem(code);
const codeOf = async (person: Person) => (await rpc.as(person).access.createSignInCode({})).code;
const accountOf = async (person: Person) => (await rpc.as(person).access.whoAmI({})).accountId;

proves(
  'ACC-1f',
  'a person makes a code that a browser signs in with, for five minutes',
  async ({ world, door }) => {
    const person = await world.person();
    const before = Date.now() / 1000;
    const { code, url, expireTime } = await door.as(person).access.createSignInCode({});
    expect(code).toMatch(/^[A-HJKMNP-TV-Z2-9]{4}-[A-HJKMNP-TV-Z2-9]{4}$/);
    expect(url).toBe(`${world.url}/sign-in`);
    expect(Number(expireTime!.seconds) - before).toBeGreaterThan(298);
    expect(Number(expireTime!.seconds) - before).toBeLessThan(310);
    expect(await redeem(world, code)).toBe(await accountOf(person));
  },
  noManagingTool,
);

test('ACC-1g a code opens once, however it is typed', () =>
  inWorld(async (world) => {
    const person = await world.person();
    const code = await codeOf(person);
    const both = await Promise.all([redeem(world, ` ${code.toLowerCase()} `), redeem(world, code.replace('-', ''))]);
    expect(both.filter((accountId) => accountId !== undefined)).toEqual([await accountOf(person)]);
    expect(await redeem(world, code)).toBeUndefined();
  }));

test('ACC-1g a code ends with the sign-in that made it, and with newer ones', () =>
  inWorld(async (world) => {
    const [person, other] = [await world.person(), await world.person()];
    const lost = await codeOf(person);
    await rpc.as(other).access.revokeConnection({ connectionId: person.connectionId });
    expect(await redeem(world, lost)).toBeUndefined();
    const codes: string[] = [];
    for (let i = 0; i < 6; i++) codes.push(await codeOf(other));
    const opened = [];
    for (const code of codes) opened.push((await redeem(world, code)) !== undefined);
    expect(opened).toEqual([false, true, true, true, true, true]);
  }));

test('ACC-1g a code that is too old opens nothing', () =>
  inWorld(async (world) => {
    const { accountId, connectionId } = await rpc.as(await world.person()).access.whoAmI({});
    const em = world.first.running.deps.orm.em.fork();
    const add = (hash: string, seconds: number) =>
      em.transactional((own) => addCode(own, { hash, accountId, connectionId }, { seconds, most: 5 }));
    await add('still good', 60);
    await add('too old', 0);
    expect(await takeCode(em, 'too old')).toBeUndefined();
    expect(await takeCode(em, 'still good')).toMatchObject({ account_id: accountId });
  }));

test('ACC-1g guesses are few, on all servers together', () =>
  inWorld(async (world) => {
    const second = await world.secondNode();
    const code = await codeOf(await world.person());
    const at = [world.first, second].map(({ running }) => running.deps.signInCodes);
    // A minute may end meanwhile; more than two bounds in a row cannot all fit.
    const guesses = Array.from({ length: 210 }, (_, i) =>
      at[i % 2]!.redeem('AAAA-AAAA').catch((error: unknown) => error),
    );
    const answers = await Promise.all(guesses);
    const refused = answers.filter((answer) => answer !== undefined);
    expect(refused.length).toBeGreaterThanOrEqual(10);
    expect(refused[0]).toMatchObject({ reason: Reason.TOO_OFTEN, bound: 60 });
    expect(code).toHaveLength(9);
  }));
