import { type Place, readCursor, writeCursor } from '../core/cursor.ts';
import type { Database } from '../core/database.ts';
import { limits } from '../core/limits.ts';
import type { Known } from './callers.ts';
import { type AuditRow, eventsBefore } from './store/audit.ts';

const NEWEST = '999999999999999999';

/** What was done to the account's ways in, and refused, newest first. */
export async function listAuditEvents(
  deps: { readonly orm: Database; readonly epoch: string },
  caller: Known,
  input: { readonly after: string; readonly pageSize: number; readonly connectionId: string },
): Promise<{ events: AuditRow[]; nextCursor: string }> {
  const { accountId } = caller;
  const { connectionId } = input;
  const place: Place = { kind: 'audit', owner: `${accountId}<${connectionId}`, epoch: deps.epoch };
  const size = input.pageSize || limits.pageSize.max;
  const before = readCursor(place, input.after, NEWEST);
  const rows = await eventsBefore(deps.orm.em.fork(), { accountId, connectionId }, before, size + 1);
  const events = rows.slice(0, size);
  return { events, nextCursor: rows.length > size ? writeCursor(place, events.at(-1)!.id) : '' };
}
