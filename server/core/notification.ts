import type { EndCause, Ended } from './endings.ts';

/** PostgreSQL refuses a payload of 8,000 bytes. */
const MOST_BYTES = 7_900;
/** More topics than fit here are said as one "look at everything": many payloads cost every node more than that. */
const MOST_PAYLOADS = 8;

/** What one node tells all nodes. Topics and ids only, never content. */
export type Notification = { readonly from: string } & (
  | { readonly say: 'wake'; readonly topics: readonly string[] }
  | { readonly say: 'look' }
  /** A part of what a transaction ended; the last part asks for an answer. */
  | { readonly say: 'end'; readonly token: string; readonly ends: readonly Ends[]; readonly isLast: boolean }
  | { readonly say: 'ended'; readonly token: string }
);
type Ends = readonly [id: string, cause: EndCause];

const write = (notification: Notification): string => JSON.stringify(notification);

/** Undefined for what is not ours: anybody with access to the database may use its channels. */
export function readNotification(payload: string | undefined): Notification | undefined {
  try {
    const read = JSON.parse(payload ?? '') as Partial<Notification> | null;
    return typeof read?.from === 'string' && typeof read.say === 'string' ? (read as Notification) : undefined;
  } catch {
    return undefined;
  }
}

export function wakePayloads(from: string, topics: Iterable<string>): string[] {
  const parts = chunks([...topics]);
  if (parts.length > MOST_PAYLOADS) return [write({ from, say: 'look' })];
  return parts.map((part) => write({ from, say: 'wake', topics: part }));
}

export const lookPayload = (from: string): string => write({ from, say: 'look' });

export const endedPayload = (from: string, token: string): string => write({ from, say: 'ended', token });

export function endPayloads(from: string, token: string, endings: readonly Ended[]): string[] {
  const parts = chunks(endings.map(({ id, cause }): Ends => [id, cause]));
  return parts.map((ends, i) => write({ from, say: 'end', token, ends, isLast: i === parts.length - 1 }));
}

/** As many of them together as one payload holds, in their order. */
function chunks<T>(all: readonly T[]): T[][] {
  const parts: T[][] = [];
  let room = 0;
  for (const one of all) {
    const bytes = Buffer.byteLength(JSON.stringify(one)) + 1;
    if (bytes > room) {
      parts.push([]);
      room = MOST_BYTES - 200; // 200: everything in a payload but its list.
    }
    parts.at(-1)!.push(one);
    room -= bytes;
  }
  return parts;
}
