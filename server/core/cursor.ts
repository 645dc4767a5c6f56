import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import { Problem } from './problem.ts';

/**
 * Where a reader is (CON-5). Opaque to clients; says its kind, whose list it walks, and in which database's life, so that
 * a cursor from elsewhere is refused instead of giving a wrong page. No signature: authority is checked at every read.
 */
export interface Place {
  readonly kind: 'mailbox' | 'inbox' | 'agents' | 'connections' | 'accounts' | 'attachments' | 'search' | 'audit';
  readonly owner: string;
  readonly epoch: string;
}

const NUMBER = /^\d{1,18}$/;
const NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/;

/** What a position looks like in each kind of list: anything else was not written by us. */
const forms: Record<Place['kind'], RegExp> = {
  mailbox: NUMBER,
  inbox: NUMBER,
  agents: NAME,
  accounts: NAME,
  attachments: /^att_[0-9a-z]{26}$/,
  // Microseconds, since what was made at one moment is told apart by its id.
  connections: /^\d{1,18}\/con_[0-9a-z]{26}$/,
  audit: NUMBER,
  search: /^\d{1,18}\/msg_[0-9a-z]{26}$/,
};

/** What the sentence calls each kind of list. */
const words: Record<Place['kind'], string> = {
  mailbox: 'mailbox',
  inbox: 'inbox',
  agents: 'directory',
  accounts: 'list of accounts',
  attachments: 'list of attachments',
  connections: 'list of connections',
  audit: 'audit log',
  search: 'search',
};

export function writeCursor(place: Place, position: string): string {
  return Buffer.from(JSON.stringify([place.kind, place.owner, place.epoch, position])).toString('base64url');
}

/** The position, `start` for an empty cursor or `0`. */
export function readCursor(place: Place, cursor: string, start: string, field = 'after'): string {
  if (cursor === '' || cursor === '0') return start;
  const [kind, owner, epoch, position] = parts(cursor, field);
  if (kind !== place.kind) throw bad(field, `belongs to another kind of list (${kind}, this is ${place.kind})`);
  if (owner !== place.owner) throw bad(field, `belongs to another ${words[place.kind]}`);
  if (epoch !== place.epoch) throw bad(field, 'is from before this database was restored');
  if (!forms[place.kind].test(position)) throw bad(field, 'is damaged');
  return position;
}

function parts(cursor: string, field: string): [kind: string, owner: string, epoch: string, position: string] {
  if (cursor.length > 1024) throw bad(field, 'is damaged');
  try {
    const read: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    if (
      Array.isArray(read) &&
      read.length === 4 &&
      read.every((part) => typeof part === 'string' && !part.includes('\0'))
    )
      return read as [string, string, string, string];
  } catch {
    // Answered below: whatever is wrong with it, the remedy is the same.
  }
  throw bad(field, 'is damaged');
}

const bad = (field: string, what: string) =>
  new Problem(Reason.BAD_CURSOR, `the cursor ${what}; start again with 0`, { subject: field });
