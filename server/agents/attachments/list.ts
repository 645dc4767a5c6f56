import type { Known } from '../../access/callers.ts';
import { readCursor, writeCursor } from '../../core/cursor.ts';
import type { Database } from '../../core/database.ts';
import { limits } from '../../core/limits.ts';
import { type LeaseRow, leasesBefore } from './store/leases.ts';

export async function list(
  deps: { readonly orm: Database; readonly epoch: string },
  caller: Known,
  input: { after: string; pageSize: number },
): Promise<{ leases: LeaseRow[]; nextCursor: string }> {
  const place = { kind: 'attachments', owner: caller.accountId, epoch: deps.epoch } as const;
  const size = input.pageSize || limits.pageSize.max;
  const rows = await leasesBefore(deps.orm.em.fork(), caller, readCursor(place, input.after, ''), size + 1);
  const leases = rows.slice(0, size);
  return { leases, nextCursor: rows.length > size ? writeCursor(place, leases.at(-1)!.id) : '' };
}
