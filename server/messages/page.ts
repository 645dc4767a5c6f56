import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { JsonObject } from '@bufbuild/protobuf';
import { readTime } from '../core/database.ts';

/** One message as the store gives it to a reader. */
export interface Received {
  readonly seq: string;
  readonly message_id: string;
  readonly conversation_id: string;
  readonly inbox_id: string;
  readonly from_agent: string;
  readonly to_agent: string;
  readonly body: string;
  readonly content_type: string;
  readonly metadata: JsonObject | null;
  readonly in_reply_to: string | null;
  readonly hop: number;
  readonly create_time: string;
  /** Offered or acknowledged already: readable, never to be offered by itself again (BRG-4). */
  readonly offered: boolean;
  /** Whether it may start a turn, as far as its sender and its lineage go. */
  readonly may_wake: boolean;
}

/** What a reader gets, and where to go on. */
export interface Page {
  readonly messages: readonly Received[];
  readonly nextCursor: string;
}

export const shownMessage = (row: Received) => ({
  messageId: row.message_id,
  conversationId: row.conversation_id,
  replyAddress: row.inbox_id,
  fromAgent: row.from_agent,
  toAgent: row.to_agent,
  body: row.body,
  contentType: row.content_type,
  ...(row.metadata === null ? {} : { metadata: row.metadata }),
  inReplyTo: row.in_reply_to ?? '',
  hop: row.hop,
  createTime: timestampFromDate(readTime(row.create_time)),
});

export const shownPage = (page: Page) => ({
  messages: page.messages.map(shownMessage),
  nextCursor: page.nextCursor,
});
