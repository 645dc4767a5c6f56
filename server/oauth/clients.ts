/** What a person granted, by the row of its connection. */
export interface Granted {
  readonly id: string;
  readonly accountId: string;
  readonly kind: 'login' | 'client';
  readonly clientId: string;
  readonly isChild: boolean;
  /** Those it has now, its parent's taken into account; undefined: all that its kind may. */
  readonly scopes: readonly string[] | undefined;
  readonly targets: readonly string[] | undefined;
  /** Seconds since the epoch. */
  readonly createTime: number;
  /** Of it, or of its parent when that is sooner. */
  readonly expireTime: number | undefined;
}

interface WantedGrant {
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

/** Connections as the authorization server needs them; fulfilled by the access room. */
export interface Clients {
  grant(wanted: WantedGrant): Promise<string>;
  /** While it is alive. */
  find(id: string): Promise<Granted | undefined>;
  /** Gives a login that has no secret yet its one. Whether it did. */
  giveSecret(id: string, secretHash: string): Promise<boolean>;
  /** On every node, before it answers. */
  revoke(id: string): Promise<void>;
  /** A refresh token was used again while that is still allowed, for the `times`th time. */
  noteReplay(id: string, times: number): Promise<void>;
  accountName(accountId: string): Promise<string | undefined>;
}
