import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { fromBinary, toBinary } from '@bufbuild/protobuf';
import { timestampMs } from '@bufbuild/protobuf/wkt';
import type { Delivered } from '#gen/agentworks/bridge/v1/bridge_pb.ts';
import { MessageSchema } from '#gen/agentworks/messages/v1/messages_pb.ts';
import type { Item, Waiting } from '../journal.ts';

/** As the file says it. */
export const states = { received: 1, offered: 2, admitted: 3, processed: 4 } as const;

interface NewItem {
  readonly attachmentId: string;
  readonly messageId: string;
  readonly state: number;
  readonly body: Uint8Array | null;
  readonly mayWake: boolean;
  readonly sentAt: number;
  readonly receivedAt: number;
}

/** What was delivered, as it is kept. */
export const newItem = (
  attachmentId: string,
  { message, mayWake, offeredBefore }: Delivered,
  now: number,
): NewItem => ({
  attachmentId,
  messageId: message!.messageId,
  state: offeredBefore ? states.offered : states.received,
  body: offeredBefore ? null : toBinary(MessageSchema, message!),
  mayWake,
  sentAt: message!.createTime === undefined ? now : timestampMs(message!.createTime),
  receivedAt: now,
});

const THESE = 'attachment_id = ? and message_id in (select value from json_each(?))';

export class ItemStore {
  readonly #statements;

  constructor(db: DatabaseSync) {
    this.#statements = {
      known: db.prepare(`select message_id from item where ${THESE}`),
      add: db.prepare(
        `insert into item (attachment_id, message_id, state, body, bytes, may_wake, sent_at, received_at, offered_at)
         values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      ),
      pending: db.prepare(`
        select message_id, body, may_wake, received_at, route from item
         where attachment_id = ? and state = 1 order by number limit ?`),
      waiting: db.prepare(`
        select count(*) as count, min(sent_at) as oldest, max(sent_at) as newest from item
         where attachment_id = ? and state = 1`),
      offer: db.prepare(`update item set state = 2, route = ?, offered_at = ? where ${THESE} and state = 1`),
      clear: db.prepare(`update item set body = null, bytes = 0 where ${THESE} and state > 1`),
      takeBack: db.prepare(`
        update item set state = 1, route = '', offered_at = null where ${THESE} and state = 2 and body is not null`),
      acknowledge: db.prepare(`update item set state = ?, body = null, bytes = 0 where ${THESE} and state < ?`),
      drop: db.prepare(`delete from item where ${THESE}`),
      unadmitted: db.prepare(`
        select message_id from item where attachment_id = ? and state = 2 and body is null and not reminded order by number`),
      reminded: db.prepare(`update item set reminded = 1 where ${THESE}`),
      cutOff: db.prepare('update item set body = null, bytes = 0 where state = 2 and body is not null'),
      count: db.prepare('select count(*) as count from item where attachment_id = ?'),
      bytes: db.prepare('select coalesce(sum(bytes), 0) as bytes from item where bytes > 0'),
      reclaim: db.prepare(`
        delete from item where number in (
          select number from item where attachment_id = ? and (state > 2 or (state = 2 and reminded and body is null))
           order by state desc, number limit ?)`),
      retire: db.prepare('delete from item where state > 1 and body is null and coalesce(offered_at, received_at) < ?'),
    } satisfies Record<string, StatementSync>;
  }

  known(attachmentId: string, messageIds: readonly string[]): Set<string> {
    const rows = this.#statements.known.all(attachmentId, JSON.stringify(messageIds));
    return new Set(rows.map((row) => row['message_id'] as string));
  }

  add(item: NewItem): void {
    const { attachmentId, messageId, state, body, mayWake, sentAt, receivedAt } = item;
    const offeredAt = state === states.received ? null : receivedAt;
    const bytes = body?.length ?? 0;
    this.#statements.add.run(
      attachmentId,
      messageId,
      state,
      body,
      bytes,
      Number(mayWake),
      sentAt,
      receivedAt,
      offeredAt,
    );
  }

  pending(attachmentId: string, limit: number): Item[] {
    return this.#statements.pending.all(attachmentId, limit).map((row) => ({
      attachmentId,
      messageId: row['message_id'] as string,
      message: fromBinary(MessageSchema, row['body'] as Uint8Array),
      mayWake: row['may_wake'] === 1,
      receivedAt: row['received_at'] as number,
      state: 'received',
      route: row['route'] as string,
    }));
  }

  waiting(attachmentId: string): Waiting {
    const { count, oldest, newest } = this.#statements.waiting.get(attachmentId) as unknown as Required<Waiting>;
    return count === 0 ? { count } : { count, oldest, newest };
  }

  offer(attachmentId: string, messageIds: readonly string[], route: string, now: number): void {
    this.#statements.offer.run(route, now, attachmentId, JSON.stringify(messageIds));
  }

  clear(attachmentId: string, messageIds: readonly string[]): void {
    this.#statements.clear.run(attachmentId, JSON.stringify(messageIds));
  }

  takeBack(attachmentId: string, messageIds: readonly string[]): void {
    this.#statements.takeBack.run(attachmentId, JSON.stringify(messageIds));
  }

  acknowledge(attachmentId: string, messageIds: readonly string[], state: number): void {
    this.#statements.acknowledge.run(state, attachmentId, JSON.stringify(messageIds), state);
  }

  drop(attachmentId: string, messageIds: readonly string[]): void {
    this.#statements.drop.run(attachmentId, JSON.stringify(messageIds));
  }

  unadmitted(attachmentId: string): string[] {
    return this.#statements.unadmitted.all(attachmentId).map((row) => row['message_id'] as string);
  }

  reminded(attachmentId: string, messageIds: readonly string[]): void {
    this.#statements.reminded.run(attachmentId, JSON.stringify(messageIds));
  }

  /** Clears the bodies of offers that a crash cut off: whether they were emitted is not known, so they are not again. */
  clearCutOff(): void {
    this.#statements.cutOff.run();
  }

  count(attachmentId: string): number {
    return this.#statements.count.get(attachmentId)!['count'] as number;
  }

  /** Of all bodies together. */
  bytes(): number {
    return this.#statements.bytes.get()!['bytes'] as number;
  }

  /** Gives up so many that need no more attention: first those acted upon, last those that somebody was reminded of. */
  reclaim(attachmentId: string, most: number): void {
    this.#statements.reclaim.run(attachmentId, most);
  }

  /** Gives up what was offered before a moment. */
  retire(before: number): void {
    this.#statements.retire.run(before);
  }
}
