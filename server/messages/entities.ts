import { defineEntity, p } from '@mikro-orm/core';

/** Where the numbers of one reader come from. A named agent's mailbox has the agent's id. */
export const MailboxSchema = defineEntity({
  name: 'Mailbox',
  tableName: 'mailbox',
  properties: {
    id: p.string().primary().length(40),
    accountId: p.string().length(40),
    lastSeq: p.bigint('bigint').default(0),
  },
});

/** One side of one conversation. Never changes once made, so nodes may remember it. */
export const InboxSchema = defineEntity({
  name: 'Inbox',
  tableName: 'inbox',
  properties: {
    id: p.string().primary().length(40),
    accountId: p.string().length(40),
    conversationId: p.string().length(40),
    mailboxId: p.string().length(40),
    agentId: p.string().length(40).nullable(),
    peerId: p.string().length(40),
  },
});

export const MessageSchema = defineEntity({
  name: 'Message',
  tableName: 'message',
  properties: {
    id: p.string().primary().length(40),
    accountId: p.string().length(40),
    conversationId: p.string().length(40),
    inboxId: p.string().length(40),
    agentId: p.string().length(40).nullable(),
    fromAgent: p.string().length(64),
    toAgent: p.string().length(64),
    body: p.text(),
    contentType: p.string().length(32),
    metadata: p.json().nullable(),
    inReplyTo: p.string().length(40).nullable(),
    hop: p.integer(),
    noWake: p.boolean(),
    createTime: p.datetime().defaultRaw('now()'),
  },
  // Words of the first 64 KiB: a tsvector has a limit of its own, which a longer text of short words would pass (MSG-15).
  indexes: [
    {
      name: 'message_words',
      expression: `create index "message_words" on "message" using gin (to_tsvector('simple', left("body", 65536)))`,
    },
  ],
});

/** The one copy a recipient has of a message, and how far it got. */
export const DeliverySchema = defineEntity({
  name: 'Delivery',
  tableName: 'delivery',
  properties: {
    mailboxId: p.string().length(40).primary(),
    mailboxSeq: p.bigint('bigint').primary(),
    accountId: p.string().length(40),
    inboxId: p.string().length(40),
    messageId: p.string().length(40).index(),
    state: p.smallint().default(1),
    wakeRefused: p.boolean().default(false),
    offerTime: p.datetime().nullable(),
    offerAttachmentId: p.string().length(40).nullable(),
    offerWoke: p.boolean().default(false),
  },
  indexes: [
    { properties: ['inboxId', 'mailboxSeq'] },
    // The lineage of a reply is the newest message offered in its conversation (MSG-17).
    {
      name: 'delivery_offered',
      expression:
        'create index "delivery_offered" on "delivery" ("inbox_id", "mailbox_seq") where "offer_time" is not null',
    },
    // What the directory shows of the wake guard: a few rows at most (MSG-17).
    {
      name: 'delivery_wake_refused',
      expression:
        'create index "delivery_wake_refused" on "delivery" ("mailbox_id", "mailbox_seq") where "wake_refused" and "offer_time" is null',
    },
    {
      name: 'delivery_woken',
      expression: 'create index "delivery_woken" on "delivery" ("account_id", "offer_time") where "offer_woke"',
    },
  ],
});

export const ReceiptEventSchema = defineEntity({
  name: 'ReceiptEvent',
  tableName: 'receipt_event',
  properties: {
    id: p.bigint('bigint').primary().autoincrement(),
    messageId: p.string().length(40).index(),
    kind: p.smallint(),
    time: p.datetime().defaultRaw('now()'),
    route: p.string().length(64).default(''),
    attachmentId: p.string().length(40).default(''),
    source: p.string().length(16),
    detail: p.string().length(128).default(''),
  },
});

/** The once-only rule of MSG-3: who said it under which id, and the answer it got. */
export const SubmissionSchema = defineEntity({
  name: 'Submission',
  tableName: 'submission',
  properties: {
    identity: p.string().length(40).primary(),
    submissionId: p.string().length(128).primary(),
    accountId: p.string().length(40),
    claimId: p.string().length(40),
    digest: p.string().length(64),
    answer: p.json(),
    createTime: p.datetime().defaultRaw('now()'),
  },
});
