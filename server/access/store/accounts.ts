import type { Manager } from '../../core/database.ts';

export interface AccountRow {
  readonly id: string;
  readonly name: string;
  readonly name_key: string;
  readonly create_time: string;
}

const COLUMNS = 'id, name, name_key, create_time';

export async function accountByKey(em: Manager, nameKey: string): Promise<AccountRow | undefined> {
  const rows: AccountRow[] = await em.execute(`select ${COLUMNS} from account where name_key = ?`, [nameKey]);
  return rows[0];
}

export async function accountById(em: Manager, id: string): Promise<AccountRow | undefined> {
  const rows: AccountRow[] = await em.execute(`select ${COLUMNS} from account where id = ?`, [id]);
  return rows[0];
}

/** Nothing when the name is there already, however many add it at one moment. */
export async function addAccountRow(em: Manager, row: { id: string; name: string; nameKey: string }): Promise<void> {
  await em.execute('insert into account (id, name, name_key) values (?, ?, ?) on conflict (name_key) do nothing', [
    row.id,
    row.name,
    row.nameKey,
  ]);
}

export function accountsAfter(em: Manager, nameKey: string, count: number): Promise<AccountRow[]> {
  return em.execute(`select ${COLUMNS} from account where name_key > ? order by name_key limit ?`, [nameKey, count]);
}
