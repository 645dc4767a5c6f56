import { defineEntity, p } from '@mikro-orm/core';

export const AttachmentSchema = defineEntity({
  name: 'Attachment',
  tableName: 'attachment',
  properties: {
    id: p.string().primary().length(40),
    accountId: p.string().length(40).index(),
    agentId: p.string().length(40),
    childId: p.string().length(40).index(),
    connectionId: p.string().length(40).index(),
    provider: p.string().length(64),
    sessionId: p.string().length(200),
    pid: p.bigint('bigint'),
    processStart: p.string().length(64),
    bootId: p.string().length(64),
    origin: p.enum(['chat', 'terminal', 'own'] as const),
    folder: p.text(),
    computer: p.string().length(64),
    startSeq: p.bigint('bigint'),
    linkId: p.string().length(40).nullable().index(),
    route: p.string().length(64).default(''),
    routeDetail: p.string().length(128).default(''),
    wakes: p.boolean().default(false),
    needsConfirmation: p.boolean().default(false),
    personTurnTime: p.datetime().nullable(),
    createTime: p.datetime().defaultRaw('now()'),
    endTime: p.datetime().nullable(),
    endReason: p.string().length(32).nullable(),
  },
  // One live lease a name: a second one would be two sessions answering as one agent (RCP-3).
  indexes: [
    {
      name: 'attachment_live_agent',
      expression: 'create unique index "attachment_live_agent" on "attachment" ("agent_id") where "end_time" is null',
    },
  ],
});
