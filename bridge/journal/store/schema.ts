import { DatabaseSync } from 'node:sqlite';

/**
 * What is committed is on disk (synchronous = full), what is cleared is overwritten (secure_delete), and no second
 * bridge opens the same file (locking_mode).
 */
const SETTINGS = `
pragma locking_mode = exclusive;
pragma journal_mode = wal;
pragma synchronous = full;
pragma secure_delete = on;
pragma journal_size_limit = 4194304;
pragma foreign_keys = on;
`;

const FIRST = `
create table meta (name text primary key, value text not null) strict;
create table lease (
  attachment_id text primary key,
  agent_id text not null,
  agent_name text not null,
  provider text not null,
  session_id text not null,
  pid integer not null,
  start_time text not null,
  boot_id text not null,
  child_secret text not null,
  folder text not null,
  origin text not null check (origin in ('chat', 'terminal', 'own')),
  cursor text not null,
  guidance_time integer,
  setup_done integer not null,
  title text not null
) strict;
create table item (
  number integer primary key autoincrement,
  attachment_id text not null references lease on delete cascade,
  message_id text not null,
  state integer not null check (state between 1 and 4),
  body blob,
  bytes integer not null,
  may_wake integer not null,
  route text not null default '',
  sent_at integer not null,
  received_at integer not null,
  offered_at integer,
  reminded integer not null default 0,
  unique (attachment_id, message_id),
  check ((state = 1) <= (body is not null))
) strict;
create index item_state on item (attachment_id, state, number);
create index item_bytes on item (bytes) where bytes > 0;
create table outbox (
  number integer primary key autoincrement,
  attachment_id text not null references lease on delete cascade,
  submission_id text not null,
  request blob not null,
  unique (attachment_id, submission_id)
) strict;
`;

const KEPT = `
create table acknowledgement (
  number integer primary key autoincrement,
  attachment_id text not null references lease on delete cascade,
  message_ids text not null,
  state text not null check (state in ('admitted', 'processed'))
) strict;
create table untold (
  provider text not null,
  session_id text not null,
  what text not null check (what in ('send', 'acknowledgement')),
  id text not null,
  ended_at integer not null
) strict;
create table parting (attachment_id text primary key, agent_name text not null) strict;
`;

/** A file of an older version gets what it is without. */
const STEPS = [FIRST, KEPT];

/** Undefined when the file is of a newer version than this program. */
export function openFile(path: string): DatabaseSync | undefined {
  const db = new DatabaseSync(path, { timeout: 0 });
  try {
    db.exec(SETTINGS);
    const version = Number(db.prepare('pragma user_version').get()!['user_version']);
    for (const [at, step] of STEPS.entries())
      if (version <= at) inOne(db, () => db.exec(`${step} pragma user_version = ${at + 1};`));
    if (version <= STEPS.length) return db;
  } catch (error) {
    db.close();
    throw error;
  }
  db.close();
  return undefined;
}

/** All of it or nothing. */
export function inOne<T>(db: DatabaseSync, act: () => T): T {
  db.exec('begin immediate');
  try {
    const done = act();
    db.exec('commit');
    return done;
  } catch (error) {
    // Some errors have rolled back already.
    if (db.isTransaction) db.exec('rollback');
    throw error;
  }
}
