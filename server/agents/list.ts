import type { Known } from '../access/callers.ts';
import { readCursor, writeCursor } from '../core/cursor.ts';
import type { Database } from '../core/database.ts';
import { limits } from '../core/limits.ts';
import { type SeenRow, seenAfter } from './store.ts';

export async function list(
  deps: { readonly orm: Database; readonly epoch: string },
  caller: Known,
  input: { after: string; pageSize: number },
): Promise<{ agents: SeenRow[]; nextCursor: string }> {
  const place = { kind: 'agents', owner: caller.accountId, epoch: deps.epoch } as const;
  const size = input.pageSize || limits.pageSize.max;
  const rows = await seenAfter(deps.orm.em.fork(), caller, readCursor(place, input.after, ''), size + 1);
  const agents = rows.slice(0, size);
  return { agents, nextCursor: rows.length > size ? writeCursor(place, agents.at(-1)!.name_key) : '' };
}
