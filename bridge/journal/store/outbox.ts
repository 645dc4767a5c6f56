import type { DatabaseSync } from 'node:sqlite';
import { fromBinary } from '@bufbuild/protobuf';
import { SendRequestSchema } from '#gen/agentworks/messages/v1/messages_pb.ts';
import type { Entry } from '../journal.ts';

export class OutboxStore {
  readonly #one;
  readonly #add;
  readonly #heads;
  readonly #all;
  readonly #remove;
  readonly #size;

  constructor(db: DatabaseSync) {
    this.#one = db.prepare('select request from outbox where attachment_id = ? and submission_id = ?');
    this.#add = db.prepare('insert into outbox (attachment_id, submission_id, request) values (?, ?, ?)');
    this.#heads = db.prepare(`
      select attachment_id, submission_id, request from outbox
       where number in (select min(number) from outbox group by attachment_id) order by number limit ?`);
    this.#all = db.prepare(
      'select attachment_id, submission_id, request from outbox where attachment_id = ? order by number',
    );
    this.#remove = db.prepare('delete from outbox where attachment_id = ? and submission_id = ?');
    this.#size = db.prepare('select count(*) as count, coalesce(sum(length(request)), 0) as bytes from outbox');
  }

  one(attachmentId: string, submissionId: string): Uint8Array | undefined {
    return this.#one.get(attachmentId, submissionId)?.['request'] as Uint8Array | undefined;
  }

  add(attachmentId: string, submissionId: string, request: Uint8Array): void {
    this.#add.run(attachmentId, submissionId, request);
  }

  heads(limit: number): Entry[] {
    return this.#heads.all(limit).map(shown);
  }

  of(attachmentId: string): Entry[] {
    return this.#all.all(attachmentId).map(shown);
  }

  remove(attachmentId: string, submissionId: string): void {
    this.#remove.run(attachmentId, submissionId);
  }

  size(): { readonly count: number; readonly bytes: number } {
    return this.#size.get() as unknown as { count: number; bytes: number };
  }
}

const shown = (row: Record<string, unknown>): Entry => ({
  attachmentId: row['attachment_id'] as string,
  submissionId: row['submission_id'] as string,
  request: fromBinary(SendRequestSchema, row['request'] as Uint8Array),
});
