import { createHash } from 'node:crypto';
import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import type { Known } from '../access/callers.ts';
import { type Place, readCursor, writeCursor } from '../core/cursor.ts';
import { limits } from '../core/limits.ts';
import { Problem } from '../core/problem.ts';
import { unknownName } from './decide.ts';
import type { Page, Received } from './page.ts';
import { type ReadDeps, requireLease } from './read.ts';
import { search as find } from './store/search.ts';

const DEFAULT_SIZE = 20;
const NEWEST = '999999999999999999/~';

export interface SearchInput {
  readonly query: string;
  readonly agentName: string;
  readonly after: string;
  readonly pageSize: number;
  readonly attachmentId: string;
}

/** Finds words in what the caller may read, newest first (MSG-15). */
export async function search(deps: ReadDeps, caller: Known, input: SearchInput): Promise<Page> {
  if (input.query.trim() === '')
    throw new Problem(Reason.BAD_FIELD, 'query may not be empty; give the words to look for', { subject: 'query' });
  await requireLease(deps.orm.em.fork(), caller, input.attachmentId);
  const childOf = caller.kind === 'child' ? caller.agentId : null;
  const agentId = input.agentName === '' ? null : await named(deps, caller, input.agentName);
  const place: Place = {
    kind: 'search',
    owner: createHash('sha256')
      .update(JSON.stringify([caller.connectionId, input.query, agentId]))
      .digest('base64url'),
    epoch: deps.epoch,
  };
  const [micros, id] = readCursor(place, input.after, NEWEST).split('/') as [string, string];
  const size = input.pageSize || DEFAULT_SIZE;
  const searcher = {
    accountId: caller.accountId,
    connectionId: caller.connectionId,
    childOf,
    attachmentId: input.attachmentId,
    agentId,
  };
  const found = await find(deps.orm.em.fork(), searcher, input.query, { micros, id }, size);
  const messages = within(found);
  const last = messages.at(-1);
  const more = last !== undefined && (found.length === size || messages.length < found.length);
  return { messages, nextCursor: more ? writeCursor(place, `${last.seq}/${last.message_id}`) : '' };
}

async function named(deps: ReadDeps, caller: Known, name: string): Promise<string> {
  const agent = await deps.agents.find(caller, name);
  if (agent === undefined) throw await unknownName(deps, caller, name, 'agent_name');
  return agent.id;
}

/** As many as fit one answer, one at least. */
function within(found: readonly Received[]): Received[] {
  let bytes = 0;
  const fits = found.findIndex((row) => (bytes += Buffer.byteLength(row.body)) > limits.pageBytes.max);
  return fits === -1 ? [...found] : found.slice(0, Math.max(1, fits));
}
