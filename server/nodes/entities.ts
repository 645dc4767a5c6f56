import { defineEntity, p } from '@mikro-orm/core';

/** One server process that is alive as long as it renews its lease. */
export const NodeSchema = defineEntity({
  name: 'Node',
  tableName: 'node',
  properties: {
    id: p.string().primary().length(40),
    startTime: p.datetime().defaultRaw('now()'),
    expireTime: p.datetime(),
  },
});

/** One open link of a bridge; it lives as long as its node does. */
export const LinkSchema = defineEntity({
  name: 'Link',
  tableName: 'link',
  properties: {
    id: p.string().primary().length(40),
    node: () => p.manyToOne(NodeSchema).index().deleteRule('cascade'),
    accountId: p.string().length(40),
    connectionId: p.string().length(40),
    computer: p.string().length(64),
    createTime: p.datetime().defaultRaw('now()'),
  },
});

/** Which life of the database this is: another one after a restore, so that no cursor or watermark outlives it. */
export const EpochSchema = defineEntity({
  name: 'Epoch',
  tableName: 'epoch',
  properties: {
    id: p.string().primary().length(40),
    createTime: p.datetime().defaultRaw('now()'),
  },
});
