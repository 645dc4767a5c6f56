import type { DatabaseSync } from 'node:sqlite';
import type { Untold } from '../journal.ts';

export class UntoldStore {
  readonly #sends;
  readonly #acknowledgements;
  readonly #of;
  readonly #remove;
  readonly #retire;

  constructor(db: DatabaseSync) {
    const add = 'insert into untold (provider, session_id, what, id, ended_at) select provider, session_id,';
    this.#sends = db.prepare(`
      ${add} 'send', submission_id, ? from outbox join lease using (attachment_id) where attachment_id = ? order by number`);
    this.#acknowledgements = db.prepare(`
      ${add} 'acknowledgement', value, ? from acknowledgement join lease using (attachment_id), json_each(message_ids)
       where attachment_id = ? order by number`);
    this.#of = db.prepare('select what, id from untold where provider = ? and session_id = ? order by rowid');
    this.#remove = db.prepare('delete from untold where provider = ? and session_id = ?');
    this.#retire = db.prepare('delete from untold where ended_at < ?');
  }

  /** What this lease was promised, as it ends. */
  add(attachmentId: string, now: number): void {
    this.#sends.run(now, attachmentId);
    this.#acknowledgements.run(now, attachmentId);
  }

  of(provider: string, sessionId: string): Untold {
    const rows = this.#of.all(provider, sessionId);
    const ids = (what: string) => [
      ...new Set(rows.filter((row) => row['what'] === what).map((row) => row['id'] as string)),
    ];
    return { messageIds: ids('acknowledgement'), submissionIds: ids('send') };
  }

  remove(provider: string, sessionId: string): void {
    this.#remove.run(provider, sessionId);
  }

  retire(before: number): void {
    this.#retire.run(before);
  }
}
