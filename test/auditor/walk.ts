import { expect } from 'vitest';
import type { Message, ReadRequest, ReadResponse } from '#gen/agentworks/messages/v1/messages_pb.ts';

type Asked = Partial<Omit<ReadRequest, '$typeName' | '$unknown'>>;

/** Reads a mailbox, or one side of a conversation, from its start to its end, page by page. */
export async function walk(
  read: (input: Asked) => Promise<ReadResponse>,
  what: Asked,
  pageSize: () => number = () => 100,
): Promise<Message[]> {
  const all: Message[] = [];
  for (let after = '0'; ;) {
    const size = pageSize();
    const page = await read({ ...what, after, pageSize: size });
    expect(page.messages.length).toBeLessThanOrEqual(size);
    if (page.messages.length === 0) return all;
    all.push(...page.messages);
    expect(page.nextCursor).not.toBe(after);
    after = page.nextCursor;
  }
}
