import { Migration } from '@mikro-orm/migrations';

/** Everything that two agents need to talk. */
export class First extends Migration {
  override up(): void {
    for (const statement of schema.split(/;\n/)) if (statement.trim() !== '') this.addSql(statement);
    this.addSql(`insert into "epoch" ("id") values ('epo_' || replace(gen_random_uuid()::text, '-', ''))`);
  }
}

const schema = `
create table "account" (
  "id" varchar(40) not null,
  "name" varchar(64) not null,
  "name_key" varchar(64) not null,
  "wake_reset_time" timestamptz null,
  "create_time" timestamptz not null default now(),
  primary key ("id")
);
alter table "account" add constraint "account_name_key_unique" unique ("name_key");
create table "audit_event" (
  "id" bigserial primary key,
  "account_id" varchar(40) not null,
  "kind" varchar(64) not null,
  "connection_id" varchar(40) not null,
  "subject" varchar(200) not null,
  "sentence" varchar(500) not null,
  "count" int not null default 1,
  "time" timestamptz not null default now()
);
create index "audit_event_account_id_id_index" on "audit_event" ("account_id", "id");
create index "audit_event_connection_id_id_index" on "audit_event" ("connection_id", "id");
create table "agent" (
  "id" varchar(40) not null,
  "account_id" varchar(40) not null,
  "name" varchar(64) not null,
  "name_key" varchar(64) not null,
  "provider" varchar(64) not null default '',
  "purpose" text not null default '',
  "purpose_time" timestamptz null,
  "connection_id" varchar(40) not null,
  "allowed_connection_ids" text[] not null default '{}',
  "last_seen_time" timestamptz null,
  "wake_reset_time" timestamptz null,
  "create_time" timestamptz not null default now(),
  "remove_time" timestamptz null,
  primary key ("id")
);
create unique index "agent_live_name" on "agent" ("account_id", "name_key") where "remove_time" is null;
create table "attachment" (
  "id" varchar(40) not null,
  "account_id" varchar(40) not null,
  "agent_id" varchar(40) not null,
  "child_id" varchar(40) not null,
  "connection_id" varchar(40) not null,
  "provider" varchar(64) not null,
  "session_id" varchar(200) not null,
  "pid" bigint not null,
  "process_start" varchar(64) not null,
  "boot_id" varchar(64) not null,
  "origin" text not null,
  "folder" text not null,
  "computer" varchar(64) not null,
  "start_seq" bigint not null,
  "link_id" varchar(40) null,
  "route" varchar(64) not null default '',
  "route_detail" varchar(128) not null default '',
  "wakes" boolean not null default false,
  "needs_confirmation" boolean not null default false,
  "person_turn_time" timestamptz null,
  "create_time" timestamptz not null default now(),
  "end_time" timestamptz null,
  "end_reason" varchar(32) null,
  primary key ("id")
);
create index "attachment_account_id_index" on "attachment" ("account_id");
create index "attachment_child_id_index" on "attachment" ("child_id");
create index "attachment_connection_id_index" on "attachment" ("connection_id");
create index "attachment_link_id_index" on "attachment" ("link_id");
create unique index "attachment_live_agent" on "attachment" ("agent_id") where "end_time" is null;
create table "connection" (
  "id" varchar(40) not null,
  "account_id" varchar(40) not null,
  "kind" text not null,
  "label" varchar(64) not null,
  "secret_hash" varchar(64) null,
  "parent_id" varchar(40) null,
  "agent_id" varchar(40) null,
  "scopes" text[] null,
  "targets" text[] null,
  "client_id" varchar(512) null,
  "client_name" varchar(128) null,
  "redirect_host" varchar(255) null,
  "create_time" timestamptz not null default now(),
  "last_seen_time" timestamptz null,
  "expire_time" timestamptz null,
  "revoke_time" timestamptz null,
  primary key ("id")
);
create index "connection_account_id_index" on "connection" ("account_id");
alter table "connection" add constraint "connection_secret_hash_unique" unique ("secret_hash");
create index "connection_parent_id_index" on "connection" ("parent_id");
create table "delivery" (
  "mailbox_id" varchar(40) not null,
  "mailbox_seq" bigint not null,
  "account_id" varchar(40) not null,
  "inbox_id" varchar(40) not null,
  "message_id" varchar(40) not null,
  "state" smallint not null default 1,
  "wake_refused" boolean not null default false,
  "offer_time" timestamptz null,
  "offer_attachment_id" varchar(40) null,
  "offer_woke" boolean not null default false,
  primary key ("mailbox_id", "mailbox_seq")
);
create index "delivery_message_id_index" on "delivery" ("message_id");
create index "delivery_inbox_id_mailbox_seq_index" on "delivery" ("inbox_id", "mailbox_seq");
create index "delivery_offered" on "delivery" ("inbox_id", "mailbox_seq") where "offer_time" is not null;
create index "delivery_wake_refused" on "delivery" ("mailbox_id", "mailbox_seq") where "wake_refused" and "offer_time" is null;
create index "delivery_woken" on "delivery" ("account_id", "offer_time") where "offer_woke";
create table "epoch" (
  "id" varchar(40) not null,
  "create_time" timestamptz not null default now(),
  primary key ("id")
);
create table "inbox" (
  "id" varchar(40) not null,
  "account_id" varchar(40) not null,
  "conversation_id" varchar(40) not null,
  "mailbox_id" varchar(40) not null,
  "agent_id" varchar(40) null,
  "peer_id" varchar(40) not null,
  primary key ("id")
);
create table "mailbox" (
  "id" varchar(40) not null,
  "account_id" varchar(40) not null,
  "last_seq" bigint not null default '0',
  primary key ("id")
);
create table "message" (
  "id" varchar(40) not null,
  "account_id" varchar(40) not null,
  "conversation_id" varchar(40) not null,
  "inbox_id" varchar(40) not null,
  "agent_id" varchar(40) null,
  "from_agent" varchar(64) not null,
  "to_agent" varchar(64) not null,
  "body" text not null,
  "content_type" varchar(32) not null,
  "metadata" jsonb null,
  "in_reply_to" varchar(40) null,
  "hop" int not null,
  "no_wake" boolean not null,
  "create_time" timestamptz not null default now(),
  primary key ("id")
);
create index "message_words" on "message" using gin (to_tsvector('simple', left("body", 65536)));
create table "node" (
  "id" varchar(40) not null,
  "start_time" timestamptz not null default now(),
  "expire_time" timestamptz not null,
  primary key ("id")
);
create table "link" (
  "id" varchar(40) not null,
  "node_id" varchar(40) not null,
  "account_id" varchar(40) not null,
  "connection_id" varchar(40) not null,
  "computer" varchar(64) not null,
  "create_time" timestamptz not null default now(),
  primary key ("id")
);
create index "link_node_id_index" on "link" ("node_id");
create table "oauth_item" (
  "kind" varchar(32) not null,
  "key" varchar(64) not null,
  "connection_id" varchar(40) null,
  "lookup_hash" varchar(64) null,
  "scopes" text[] null,
  "sealed" text not null,
  "uses" int not null default 0,
  "first_use_time" timestamptz null,
  "expire_time" timestamptz not null,
  primary key ("kind", "key")
);
create index "oauth_item_connection_id_index" on "oauth_item" ("connection_id");
create index "oauth_item_lookup_hash_index" on "oauth_item" ("lookup_hash");
create index "oauth_item_kind_expire_time_index" on "oauth_item" ("kind", "expire_time");
create table "receipt_event" (
  "id" bigserial primary key,
  "message_id" varchar(40) not null,
  "kind" smallint not null,
  "time" timestamptz not null default now(),
  "route" varchar(64) not null default '',
  "attachment_id" varchar(40) not null default '',
  "source" varchar(16) not null,
  "detail" varchar(128) not null default ''
);
create index "receipt_event_message_id_index" on "receipt_event" ("message_id");
create table "server_key" (
  "id" int not null,
  "value" varchar(64) not null,
  "create_time" timestamptz not null default now(),
  primary key ("id")
);
create table "sign_in_code" (
  "code_hash" varchar(64) not null,
  "account_id" varchar(40) not null,
  "connection_id" varchar(40) not null,
  "expire_time" timestamptz not null,
  primary key ("code_hash")
);
create index "sign_in_code_account_id_index" on "sign_in_code" ("account_id");
create table "sign_in_guess" (
  "minute" int not null,
  "count" int not null,
  primary key ("minute")
);
create table "submission" (
  "identity" varchar(40) not null,
  "submission_id" varchar(128) not null,
  "account_id" varchar(40) not null,
  "claim_id" varchar(40) not null,
  "digest" varchar(64) not null,
  "answer" jsonb not null,
  "create_time" timestamptz not null default now(),
  primary key ("identity", "submission_id")
);
alter table "attachment" add constraint "attachment_origin_check" check ("origin" in ('chat', 'terminal', 'own'));
alter table "connection" add constraint "connection_account_id_foreign" foreign key ("account_id") references "account" ("id");
alter table "connection" add constraint "connection_kind_check" check ("kind" in ('login', 'service', 'child', 'client', 'browser'));
alter table "link" add constraint "link_node_id_foreign" foreign key ("node_id") references "node" ("id") on delete cascade;
`;
