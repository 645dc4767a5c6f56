import type { DatabaseSync } from 'node:sqlite';
import type { Parting } from '../journal.ts';

export class PartingStore {
  readonly #add;
  readonly #all;
  readonly #remove;

  constructor(db: DatabaseSync) {
    this.#add = db.prepare('insert into parting (attachment_id, agent_name) values (?, ?) on conflict do nothing');
    this.#all = db.prepare('select attachment_id, agent_name from parting order by rowid');
    this.#remove = db.prepare('delete from parting where attachment_id = ?');
  }

  add({ attachmentId, agentName }: Parting): void {
    this.#add.run(attachmentId, agentName);
  }

  all(): Parting[] {
    return this.#all
      .all()
      .map((row) => ({ attachmentId: row['attachment_id'] as string, agentName: row['agent_name'] as string }));
  }

  remove(attachmentId: string): void {
    this.#remove.run(attachmentId);
  }
}
