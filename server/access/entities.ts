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
    kind: p.enum(['login', 'service', 'child', 'client', 'browser'] as const),
    label: p.string().length(64),
    /** Of a secret of ours; the tokens of an OAuth client are kept apart. */
    secretHash: p.string().length(64).unique().nullable(),
    parentId: p.string().length(40).nullable().index(),
    agentId: p.string().length(40).nullable(),
    /** Null: all that its kind may. */
    scopes: p.array().nullable(),
    /** Null: every target. */
    targets: p.array().nullable(),
    clientId: p.string().length(512).nullable(),
    clientName: p.string().length(128).nullable(),
    redirectHost: p.string().length(255).nullable(),
    createTime: p.datetime().defaultRaw('now()'),
    lastSeenTime: p.datetime().nullable(),
    expireTime: p.datetime().nullable(),
    revokeTime: p.datetime().nullable(),
  },
});

/** What was done to an account's ways in: who may be asked later, and what was refused. */
export const AuditEventSchema = defineEntity({
  name: 'AuditEvent',
  tableName: 'audit_event',
  indexes: [{ properties: ['accountId', 'id'] }, { properties: ['connectionId', 'id'] }],
  properties: {
    id: p.bigint().primary(),
    accountId: p.string().length(40),
    kind: p.string().length(64),
    connectionId: p.string().length(40),
    subject: p.string().length(200),
    sentence: p.string().length(500),
    /** How often within about a minute: refusals are counted. */
    count: p.integer().default(1),
    time: p.datetime().defaultRaw('now()'),
  },
});

/** A code by which a browser signs in as the account, once. */
export const SignInCodeSchema = defineEntity({
  name: 'SignInCode',
  tableName: 'sign_in_code',
  properties: {
    codeHash: p.string().primary().length(64),
    accountId: p.string().length(40).index(),
    /** Of the person who made it: the code ends with that connection. */
    connectionId: p.string().length(40),
    expireTime: p.datetime(),
  },
});

/** Attempts at codes, by the minute since the epoch; those that were right are taken off again. */
export const SignInGuessSchema = defineEntity({
  name: 'SignInGuess',
  tableName: 'sign_in_guess',
  properties: { minute: p.integer().primary().autoincrement(false), count: p.integer() },
});

/** One way in for one client; the row is the authority on every request (ACC-2). */
export class Connection extends ConnectionSchema.class {
  revoke(now: Date): void {
    this.revokeTime ??= now;
  }
}
ConnectionSchema.setClass(Connection);
