import type { Manager } from '../../core/database.ts';
import { LIST, listed, LIVE } from './connections.ts';

/** A connection that a person granted on our page, or its child. */
export interface WantedGrant {
  readonly accountId: string;
  readonly kind: 'login' | 'client';
  readonly label: string;
  readonly clientId: string;
  readonly clientName: string;
  readonly redirectHost: string;
  readonly parentId?: string;
  readonly scopes?: readonly string[];
  readonly targets?: readonly string[];
  readonly expireSeconds?: number;
}

export interface GrantedRow {
  readonly id: string;
  readonly account_id: string;
  readonly kind: 'login' | 'client';
  readonly client_id: string;
  readonly parent_id: string | null;
  readonly scopes: readonly string[] | null;
  readonly targets: readonly string[] | null;
  readonly create_seconds: string;
  readonly expire_seconds: string | null;
}

export async function addGranted(em: Manager, row: WantedGrant & { readonly id: string }): Promise<void> {
  await em.execute(
    `insert into connection (id, account_id, kind, label, client_id, client_name, redirect_host, parent_id,
                             scopes, targets, expire_time)
     values (?, ?, ?, ?, ?, ?, ?, ?, ${LIST}, ${LIST}, now() + ?::float8 * interval '1 second')`,
    [
      row.id,
      row.accountId,
      row.kind,
      row.label,
      row.clientId,
      row.clientName,
      row.redirectHost,
      row.parentId ?? null,
      ...listed(row.scopes),
      ...listed(row.targets),
      row.expireSeconds ?? null,
    ],
  );
}

/** While it is alive, with what is left to it of what its parent has. */
export async function grantedById(em: Manager, id: string): Promise<GrantedRow | undefined> {
  const rows: GrantedRow[] = await em.execute(
    `select c.id, c.account_id, c.kind, c.client_id, c.parent_id,
            case when p.scopes is null or c.scopes is null then coalesce(c.scopes, p.scopes)
                 else array(select unnest(c.scopes) intersect select unnest(p.scopes)) end as scopes,
            case when p.targets is null or c.targets is null then coalesce(c.targets, p.targets)
                 else array(select unnest(c.targets) intersect select unnest(p.targets)) end as targets,
            floor(extract(epoch from c.create_time))::bigint as create_seconds,
            ceil(extract(epoch from least(c.expire_time, p.expire_time)))::bigint as expire_seconds
       from connection c left join connection p on p.id = c.parent_id
      where c.id = ? and c.client_id is not null and ${LIVE}`,
    [id],
  );
  return rows[0];
}

/** Whether it was the first. */
export async function setSecretOnce(em: Manager, id: string, secretHash: string): Promise<boolean> {
  const rows: unknown[] = await em.execute(
    `update connection set secret_hash = ?
      where id = ? and kind = 'login' and secret_hash is null and revoke_time is null returning id`,
    [secretHash, id],
  );
  return rows.length > 0;
}

/** Whose connection it is, ended or not. */
export async function accountOf(em: Manager, id: string): Promise<string | undefined> {
  const rows: { account_id: string }[] = await em.execute('select account_id from connection where id = ?', [id]);
  return rows[0]?.account_id;
}
