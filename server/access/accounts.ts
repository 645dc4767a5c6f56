import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import { readCursor, writeCursor } from '../core/cursor.ts';
import type { Database } from '../core/database.ts';
import { newId } from '../core/ids.ts';
import { limits } from '../core/limits.ts';
import { Problem } from '../core/problem.ts';
import type { Peer } from './peer.ts';
import { proveOwner } from './prove.ts';
import { accountByKey, type AccountRow, accountsAfter, addAccountRow } from './store/accounts.ts';

export interface OwnerDeps {
  readonly orm: Database;
  /** The contents of `login-key` in the data folder. */
  readonly loginKey: string;
  readonly epoch: string;
}

/** The account that every server has. */
export const LOCAL_ACCOUNT = 'local';

const NAME = new RegExp(`^[A-Za-z0-9][A-Za-z0-9._-]{0,${limits.accountNameCharacters.max - 1}}$`);

/** Names are compared without case. */
export const accountKey = (name: string): string => name.toLowerCase();

/** At first start; the repeat changes nothing. */
export const ensureLocalAccount = async (orm: Database): Promise<void> => {
  await ensure(orm, LOCAL_ACCOUNT);
};

/** Another account of this server, or the one that has the name. */
export async function addAccount(
  deps: OwnerDeps,
  peer: Peer,
  input: { readonly loginKey: string; readonly accountName: string },
): Promise<AccountRow> {
  proveOwner(deps.loginKey, { loginKey: input.loginKey, peer });
  if (!NAME.test(input.accountName))
    throw new Problem(
      Reason.BAD_FIELD,
      `an account name holds 1 to ${limits.accountNameCharacters.max} ASCII letters, digits, \`.\`, \`_\` and \`-\`, and begins with a letter or digit; choose another`,
      { subject: 'account_name' },
    );
  return ensure(deps.orm, input.accountName);
}

export async function listAccounts(
  deps: OwnerDeps,
  peer: Peer,
  input: { readonly loginKey: string; readonly after: string; readonly pageSize: number },
): Promise<{ accounts: AccountRow[]; nextCursor: string }> {
  proveOwner(deps.loginKey, { loginKey: input.loginKey, peer });
  const place = { kind: 'accounts', owner: 'server', epoch: deps.epoch } as const;
  const size = input.pageSize || limits.pageSize.max;
  const rows = await accountsAfter(deps.orm.em.fork(), readCursor(place, input.after, ''), size + 1);
  const accounts = rows.slice(0, size);
  return { accounts, nextCursor: rows.length > size ? writeCursor(place, accounts.at(-1)!.name_key) : '' };
}

async function ensure(orm: Database, name: string): Promise<AccountRow> {
  const em = orm.em.fork();
  const nameKey = accountKey(name);
  await addAccountRow(em, { id: newId('acc'), name, nameKey });
  return (await accountByKey(em, nameKey))!;
}
