import { type Place, readCursor, writeCursor } from '../core/cursor.ts';
import type { Database } from '../core/database.ts';
import { limits } from '../core/limits.ts';
import type { Known } from './callers.ts';
import { type Position, type ShownConnection, shownBefore } from './store/shown.ts';

/** The account's connections, newest first. */
export async function listConnections(
  deps: { readonly orm: Database; readonly epoch: string },
  caller: Known,
  input: { readonly after: string; readonly pageSize: number; readonly includeEnded: boolean },
): Promise<{ connections: ShownConnection[]; nextCursor: string }> {
  const place: Place = { kind: 'connections', owner: caller.accountId, epoch: deps.epoch };
  const size = input.pageSize || limits.pageSize.max;
  const position = readPosition(readCursor(place, input.after, ''));
  const filter = { accountId: caller.accountId, includeEnded: input.includeEnded };
  const rows = await shownBefore(deps.orm.em.fork(), filter, position, size + 1);
  const connections = rows.slice(0, size);
  const last = connections.at(-1);
  const nextCursor =
    last !== undefined && rows.length > size ? writeCursor(place, `${last.create_micros}/${last.id}`) : '';
  return { connections, nextCursor };
}

function readPosition(text: string): Position | undefined {
  const [micros, id] = text.split('/');
  return micros === undefined || id === undefined ? undefined : { micros, id };
}
