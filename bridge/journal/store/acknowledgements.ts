import type { DatabaseSync } from 'node:sqlite';
import type { KeptAcknowledgement } from '../journal.ts';

export class AcknowledgementStore {
  readonly #add;
  readonly #all;
  readonly #remove;
  readonly #waiting;
  readonly #count;

  constructor(db: DatabaseSync) {
    this.#add = db.prepare('insert into acknowledgement (attachment_id, message_ids, state) values (?, ?, ?)');
    this.#all = db.prepare(
      'select number, message_ids, state from acknowledgement where attachment_id = ? order by number',
    );
    this.#remove = db.prepare('delete from acknowledgement where number = ?');
    this.#waiting = db.prepare('select distinct attachment_id from acknowledgement');
    this.#count = db.prepare('select count(*) as count from acknowledgement');
  }

  add(attachmentId: string, { messageIds, state }: Omit<KeptAcknowledgement, 'number'>): void {
    this.#add.run(attachmentId, JSON.stringify(messageIds), state);
  }

  of(attachmentId: string): KeptAcknowledgement[] {
    return this.#all.all(attachmentId).map((row) => ({
      number: row['number'] as number,
      messageIds: JSON.parse(row['message_ids'] as string) as string[],
      state: row['state'] as KeptAcknowledgement['state'],
    }));
  }

  waiting(): string[] {
    return this.#waiting.all().map((row) => row['attachment_id'] as string);
  }

  remove(number: number): void {
    this.#remove.run(number);
  }

  count(): number {
    return this.#count.get()!['count'] as number;
  }
}
