import { newId } from '../core/ids.ts';
import { audit } from './audit.ts';
import { readTargets } from './bounds.ts';
import { refuseMore } from './make-connection.ts';
import { revokeConnection, type RevokeDeps } from './revoke.ts';
import {
  accountOf,
  addGranted,
  type GrantedRow,
  grantedById,
  setSecretOnce,
  type WantedGrant,
} from './store/clients.ts';
import { accountById } from './store/accounts.ts';

/** Connections as the authorization server needs them; handed to it in compose.ts. */
export const openClients = (deps: RevokeDeps) => ({
  grant: (wanted: WantedGrant): Promise<string> =>
    deps.orm.em.fork().transactional(async (em) => {
      await refuseMore(em, wanted.accountId);
      const id = newId('con');
      const { targets, ...rest } = wanted;
      await addGranted(em, { ...rest, id, ...(targets === undefined ? {} : { targets: readTargets(targets) }) });
      await audit(em, {
        accountId: wanted.accountId,
        kind: 'connection.granted',
        connectionId: wanted.parentId ?? id,
        subject: id,
        sentence: sentenceOf(wanted),
      });
      return id;
    }),

  async find(id: string) {
    const row = await grantedById(deps.orm.em.fork(), id);
    return row === undefined ? undefined : granted(row);
  },

  /** A login that was granted in a browser has none until its program fetches it, once. */
  giveSecret: (id: string, secretHash: string): Promise<boolean> => setSecretOnce(deps.orm.em.fork(), id, secretHash),

  async revoke(id: string): Promise<void> {
    const row = await grantedById(deps.orm.em.fork(), id);
    if (row === undefined) return;
    await revokeConnection(deps, { accountId: row.account_id, connectionId: id }, id);
  },

  /** A refresh token came again: while that is still allowed, or later, when it is taken for stolen. */
  async noteToken(id: string, kind: 'token.replayed' | 'token.reused', sentence: string): Promise<void> {
    const em = deps.orm.em.fork();
    const accountId = await accountOf(em, id);
    if (accountId !== undefined) await audit(em, { accountId, kind, connectionId: id, subject: id, sentence });
  },

  accountName: async (id: string): Promise<string | undefined> => (await accountById(deps.orm.em.fork(), id))?.name,
});

const granted = (row: GrantedRow) => ({
  id: row.id,
  accountId: row.account_id,
  kind: row.kind,
  clientId: row.client_id,
  isChild: row.parent_id !== null,
  scopes: row.scopes ?? undefined,
  targets: row.targets ?? undefined,
  createTime: Number(row.create_seconds),
  expireTime: row.expire_seconds === null ? undefined : Number(row.expire_seconds),
});

function sentenceOf({ label, kind, clientName, redirectHost, parentId, scopes, targets }: WantedGrant): string {
  if (kind === 'login') return `signed in elsewhere, as ${label}`;
  const what = `${scopes?.join(', ') ?? 'every scope'}, reaching ${targets?.join(', ') ?? 'everyone'}`;
  if (parentId !== undefined) return `made a connection of its own for a part of itself, with ${what}`;
  return `${clientName || 'a program'}${redirectHost && ` at ${redirectHost}`} was let in, with ${what}`;
}
