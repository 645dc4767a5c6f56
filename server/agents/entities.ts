import { defineEntity, p } from '@mikro-orm/core';

export const AgentSchema = defineEntity({
  name: 'Agent',
  tableName: 'agent',
  properties: {
    id: p.string().primary().length(40),
    accountId: p.string().length(40),
    name: p.string().length(64),
    nameKey: p.string().length(64),
    provider: p.string().length(64).default(''),
    purpose: p.text().default(''),
    purposeTime: p.datetime().nullable(),
    connectionId: p.string().length(40),
    allowedConnectionIds: p.array().defaultRaw(`'{}'`),
    lastSeenTime: p.datetime().nullable(),
    wakeResetTime: p.datetime().nullable(),
    createTime: p.datetime().defaultRaw('now()'),
    removeTime: p.datetime().nullable(),
  },
  // A removed name keeps its row, so that its messages still have an owner; only a live name must be alone (AGT-2).
  indexes: [
    {
      name: 'agent_live_name',
      expression:
        'create unique index "agent_live_name" on "agent" ("account_id", "name_key") where "remove_time" is null',
    },
  ],
});
