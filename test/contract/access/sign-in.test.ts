import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import { refuses } from '../../doors/door.ts';
import { rpc } from '../../doors/rpc.ts';
import { beside } from '../../world/bare-node.ts';
import { inWorld, type World } from '../../world/world.ts';

async function owner(world: World) {
  const file = join(world.data, 'login-key');
  const nobody = rpc.as({ ...(await world.person()), secret: undefined }).access;
  return { file, nobody, loginKey: readFileSync(file, 'utf8').trim() };
}

test('ACC-1a whoever can read the login key signs in with it, and nobody else', () =>
  inWorld(async (world) => {
    const { file, nobody, loginKey } = await owner(world);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const answer = await nobody.login({ loginKey, label: 'laptop' });
    expect(answer.accountName).toBe('local');
    const me = await rpc.as({ ...(await world.person()), secret: answer.secret }).access.whoAmI({});
    expect(me.connectionId).toBe(answer.connectionId);
    for (const wrong of ['', `${loginKey}x`, loginKey.slice(1)])
      expect(await refuses(Reason.SIGNED_OUT, nobody.login({ loginKey: wrong }))).toMatchObject({
        subject: 'login_key',
      });
    await refuses(Reason.SIGNED_OUT, nobody.addAccount({ loginKey: 'wrong', accountName: 'other' }));
    await refuses(Reason.SIGNED_OUT, nobody.listAccounts({ loginKey: 'wrong' }));
  }));

test('ACC-1a an account is added once, whatever the case of its name, and signed in to by name', () =>
  inWorld(async (world) => {
    const { nobody, loginKey } = await owner(world);
    const refusal = await refuses(Reason.NOT_FOUND, nobody.login({ loginKey, accountName: 'team' }));
    expect(refusal.subject).toBe('account_name');
    const first = await nobody.addAccount({ loginKey, accountName: 'Team' });
    const again = await nobody.addAccount({ loginKey, accountName: 'team' });
    expect(again.account).toEqual(first.account);
    expect(await nobody.login({ loginKey, accountName: 'TEAM' })).toMatchObject({ accountName: 'Team' });
    for (const name of ['', '-team', 'a b', 'zoë'])
      await refuses(Reason.BAD_FIELD, nobody.addAccount({ loginKey, accountName: name }));
    const names: string[] = [];
    let after = '';
    do {
      const page = await nobody.listAccounts({ loginKey, after, pageSize: 1 });
      names.push(...page.accounts.map(({ name }) => name));
      after = page.nextCursor;
    } while (after !== '');
    expect(names).toEqual(['local', 'Team']);
  }));

test('ACC-3a a secret is random, and what is stored of it opens nothing', () =>
  inWorld(async (world) => {
    const [first, second] = [await world.person(), await world.person()];
    expect(first.secret).toMatch(/^aw1_[\w-]{49}$/);
    expect(second.secret).not.toBe(first.secret);
    const rows = await beside(world.where, 'select c.*, c::text as whole from connection c');
    expect(rows).toHaveLength(2);
    for (const row of rows) {
      expect(String(row['whole'])).not.toContain('aw1_');
      const thief = rpc.as({ ...first, secret: String(row['secret_hash']) });
      await refuses(Reason.SIGNED_OUT, thief.access.whoAmI({}));
    }
  }));
