import { defineEntity, p } from '@mikro-orm/core';

export const AccountSchema = defineEntity({
  name: 'Account',
  tableName: 'account',
  properties: {
    id: p.string().primary().length(40),
    name: p.string().length(64),
    nameKey: p.string().length(64).unique(),
    wakeResetTime: p.datetime().nullable(),
    createTime: p.datetime().defaultRaw('now()'),
  },
});

const ConnectionSchema = defineEntity({
  name: 'Connection',
  tableName: 'connection',
  properties: {
    id: p.string().primary().length(40),
    account: () => p.manyToOne(AccountSchema).index(),
    kind: p.enum(['login', 'service', 'child'] as const),
    label: p.string().length(64),
    secretHash: p.string().length(64).unique(),
    parentId: p.string().length(40).nullable().index(),
    agentId: p.string().length(40).nullable(),
    createTime: p.datetime().defaultRaw('now()'),
    lastSeenTime: p.datetime().nullable(),
    expireTime: p.datetime().nullable(),
    revokeTime: p.datetime().nullable(),
  },
});

/** One way in for one client; the row is the authority on every request (ACC-2). */
export class Connection extends ConnectionSchema.class {
  revoke(now: Date): void {
    this.revokeTime ??= now;
  }
}
ConnectionSchema.setClass(Connection);
