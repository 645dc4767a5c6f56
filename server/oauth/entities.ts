import { defineEntity, p } from '@mikro-orm/core';

/**
 * What the authorization server remembers: tokens, codes, questions to a person on their way, registered clients. Found
 * by the hash of its id; the rest is sealed, so that whoever sees the table alone can use nothing in it.
 */
export const OauthItemSchema = defineEntity({
  name: 'OauthItem',
  tableName: 'oauth_item',
  indexes: [{ properties: ['kind', 'expireTime'] }],
  properties: {
    kind: p.string().primary().length(32),
    /** SHA-256 of the id that the client or the browser has. */
    key: p.string().primary().length(64),
    /** The connection it gives access to. */
    connectionId: p.string().length(40).nullable().index(),
    /** SHA-256 of what else it is found by: the code that a person types, the name that a session keeps. */
    lookupHash: p.string().length(64).nullable().index(),
    /** Of an access token that may do less than its connection. */
    scopes: p.array().nullable(),
    sealed: p.text(),
    uses: p.integer().default(0),
    firstUseTime: p.datetime().nullable(),
    expireTime: p.datetime(),
  },
});

/** One row: the key that all nodes share. */
export const ServerKeySchema = defineEntity({
  name: 'ServerKey',
  tableName: 'server_key',
  properties: {
    id: p.integer().primary().autoincrement(false),
    value: p.string().length(64),
    createTime: p.datetime().defaultRaw('now()'),
  },
});
