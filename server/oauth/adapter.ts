import type { Adapter, AdapterPayload } from 'oidc-provider';
import { errors } from 'oidc-provider';
import type { Clock } from '../core/clock.ts';
import type { Database } from '../core/database.ts';
import { limits } from '../core/limits.ts';
import { hashSecret as hash } from '../core/secret.ts';
import { CLI_CLIENT_ID } from './cli-client.ts';
import type { Clients, Granted } from './clients.ts';
import { scopesOf } from './scopes.ts';
import type { Seal } from './seal.ts';
import {
  dropExpired,
  dropItem,
  dropItemsOf,
  dropOldestUnused,
  type ItemRow,
  itemByKey,
  itemByLookup,
  keepItem,
  useItem,
} from './store/items.ts';

export interface AdapterDeps {
  readonly orm: Database;
  readonly clock: Clock;
  readonly seal: Seal;
  readonly clients: Clients;
  readonly resource: string;
}

/** Within this time of its first use a refresh token may be used again: many processes of one client refresh at once. */
const GRACE_MS = limits.refreshGraceSeconds.max * 1000;
/** How long a client that registered itself is kept before anybody lets it in. */
const UNUSED_CLIENT_SECONDS = 24 * 3600;
/** What comes once is refused to the second of two who bring it at one moment. */
const ONCE = new Set(['AuthorizationCode', 'DeviceCode']);
const SWEPT = [
  'AccessToken',
  'AuthorizationCode',
  'Client',
  'DeviceCode',
  'Interaction',
  'RefreshToken',
  'Session',
] as const;

/** Where oidc-provider keeps what it must find again: a grant is a connection, everything else a sealed item. */
export const adapting =
  (deps: AdapterDeps) =>
  (kind: string): Adapter =>
    kind === 'Grant' ? grants(deps) : new Items(deps, kind);

const none = async () => undefined;

/** Made, changed and read as connections: nothing of a grant is kept beside that row. */
function grants({ clients, resource }: AdapterDeps): Adapter {
  return {
    find: async (id) => {
      const granted = await clients.find(id);
      return granted === undefined ? undefined : grantOf(granted, resource);
    },
    destroy: (id) => clients.revoke(id),
    upsert: none,
    consume: none,
    findByUid: none,
    findByUserCode: none,
    revokeByGrantId: none,
  };
}

const grantOf = (granted: Granted, resource: string): AdapterPayload => ({
  kind: 'Grant',
  jti: granted.id,
  accountId: granted.accountId,
  clientId: granted.clientId,
  resources: { [resource]: scopesOf(granted).join(' ') },
  iat: granted.createTime,
  exp: granted.expireTime ?? Math.floor(Date.now() / 1000) + limits.connectionSeconds.max,
});

class Items implements Adapter {
  readonly #deps: AdapterDeps;
  readonly #kind: string;

  constructor(deps: AdapterDeps, kind: string) {
    this.#deps = deps;
    this.#kind = kind;
  }

  async upsert(id: string, payload: AdapterPayload, expireSeconds = UNUSED_CLIENT_SECONDS): Promise<void> {
    const { seal, clients } = this.#deps;
    // The command line's sign-in ends in a login like any other: its one token is the secret of that connection.
    if (this.#kind === 'AccessToken' && payload.clientId === CLI_CLIENT_ID) {
      if (await clients.giveSecret(payload.grantId ?? '', hash(id))) return;
      throw new errors.InvalidGrant('that sign-in was used already, or has ended');
    }
    const key = hash(id);
    const lookup = this.#kind === 'Session' ? payload.uid : payload.userCode;
    const em = this.#em();
    await dropExpired(em, SWEPT);
    await keepItem(em, {
      kind: this.#kind,
      key,
      connectionId: payload.grantId,
      lookupHash: lookup === undefined ? undefined : hash(lookup),
      scopes: this.#kind === 'AccessToken' ? (payload.scope ?? '').split(' ') : undefined,
      sealed: seal.close({ ...payload, id }, this.#place(key)),
      expireSeconds,
    });
    if (this.#kind === 'Client') await dropOldestUnused(em, this.#kind, limits.unusedClients.max);
  }

  async find(id: string): Promise<AdapterPayload | undefined> {
    return this.#read(await itemByKey(this.#em(), this.#kind, hash(id)));
  }

  async findByUserCode(userCode: string): Promise<AdapterPayload | undefined> {
    return this.#read(await itemByLookup(this.#em(), this.#kind, hash(userCode)));
  }

  async findByUid(uid: string): Promise<AdapterPayload | undefined> {
    return this.#read(await itemByLookup(this.#em(), this.#kind, hash(uid)));
  }

  async consume(id: string): Promise<void> {
    const { clients, clock } = this.#deps;
    const item = await itemByKey(this.#em(), this.#kind, hash(id));
    const uses = await useItem(this.#em(), this.#kind, hash(id), clock.now());
    if (uses <= 1) return;
    if (ONCE.has(this.#kind)) throw new errors.InvalidGrant('it was used a moment ago');
    await clients.noteReplay(this.#read(item)?.grantId ?? '', uses - 1);
  }

  destroy(id: string): Promise<void> {
    return dropItem(this.#em(), this.#kind, hash(id));
  }

  revokeByGrantId(grantId: string): Promise<void> {
    return dropItemsOf(this.#em(), this.#kind, grantId);
  }

  #read(row: ItemRow | undefined): AdapterPayload | undefined {
    if (row === undefined) return undefined;
    const { id, ...payload } = this.#deps.seal.open(row.sealed, this.#place(row.key)) as AdapterPayload & {
      id: string;
    };
    const read: AdapterPayload = this.#kind === 'Client' ? payload : { ...payload, jti: id };
    if (row.first_use !== null && !this.#isInGrace(row)) read.consumed = Math.floor(Number(row.first_use) / 1000);
    return read;
  }

  #isInGrace(row: ItemRow): boolean {
    return this.#kind === 'RefreshToken' && this.#deps.clock.now() - Number(row.first_use) < GRACE_MS;
  }

  #place = (key: string): string => `${this.#kind}/${key}`;

  #em = () => this.#deps.orm.em.fork();
}
