import type { DatabaseSync } from 'node:sqlite';
import type { SavedLease } from '../journal.ts';

interface Row {
  readonly attachment_id: string;
  readonly agent_id: string;
  readonly agent_name: string;
  readonly provider: string;
  readonly session_id: string;
  readonly pid: number;
  readonly start_time: string;
  readonly boot_id: string;
  readonly child_secret: string;
  readonly folder: string;
  readonly origin: SavedLease['origin'];
  readonly cursor: string;
  readonly guidance_time: number | null;
  readonly setup_done: number;
  readonly title: string;
}

export class LeaseStore {
  readonly #all;
  readonly #one;
  readonly #put;
  readonly #remove;
  readonly #move;
  readonly #epoch;
  readonly #setEpoch;
  readonly #startAnew;

  constructor(db: DatabaseSync) {
    this.#all = db.prepare('select * from lease order by rowid');
    this.#one = db.prepare('select * from lease where attachment_id = ?');
    this.#put = db.prepare(`
      insert into lease values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      on conflict (attachment_id) do update set
        agent_id = excluded.agent_id, agent_name = excluded.agent_name, provider = excluded.provider,
        session_id = excluded.session_id, pid = excluded.pid, start_time = excluded.start_time,
        boot_id = excluded.boot_id, child_secret = excluded.child_secret, folder = excluded.folder,
        origin = excluded.origin, cursor = excluded.cursor, guidance_time = excluded.guidance_time,
        setup_done = excluded.setup_done, title = excluded.title`);
    this.#remove = db.prepare('delete from lease where attachment_id = ?');
    this.#move = db.prepare('update lease set cursor = ? where attachment_id = ?');
    this.#epoch = db.prepare("select value from meta where name = 'epoch'");
    this.#setEpoch = db.prepare(
      "insert into meta values ('epoch', ?) on conflict (name) do update set value = excluded.value",
    );
    this.#startAnew = db.prepare("update lease set cursor = ''");
  }

  all(): SavedLease[] {
    return this.#all.all().map((row) => shown(row as unknown as Row));
  }

  one(attachmentId: string): SavedLease | undefined {
    const row = this.#one.get(attachmentId);
    return row && shown(row as unknown as Row);
  }

  put(lease: SavedLease): void {
    const { pid, startTime, bootId } = lease.process;
    this.#put.run(
      lease.attachmentId,
      lease.agentId,
      lease.agentName,
      lease.provider,
      lease.sessionId,
      pid,
      startTime,
      bootId,
      lease.childSecret,
      lease.folder,
      lease.origin,
      lease.cursor,
      lease.guidanceTime ?? null,
      Number(lease.setupDone),
      lease.title,
    );
  }

  remove(attachmentId: string): void {
    this.#remove.run(attachmentId);
  }

  moveCursor(attachmentId: string, cursor: string): void {
    this.#move.run(cursor, attachmentId);
  }

  epoch(): string | undefined {
    return this.#epoch.get()?.['value'] as string | undefined;
  }

  setEpoch(epoch: string): void {
    this.#setEpoch.run(epoch);
  }

  startAnew(): void {
    this.#startAnew.run();
  }
}

const shown = (row: Row): SavedLease => ({
  attachmentId: row.attachment_id,
  agentId: row.agent_id,
  agentName: row.agent_name,
  provider: row.provider,
  sessionId: row.session_id,
  process: { pid: row.pid, startTime: row.start_time, bootId: row.boot_id },
  childSecret: row.child_secret,
  folder: row.folder,
  origin: row.origin,
  cursor: row.cursor,
  guidanceTime: row.guidance_time ?? undefined,
  setupDone: row.setup_done === 1,
  title: row.title,
});
