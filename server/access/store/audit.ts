import type { Manager } from '../../core/database.ts';
import type { AuditEvent } from '../audit.ts';

export interface AuditRow {
  readonly id: string;
  readonly kind: string;
  readonly connection_id: string;
  readonly subject: string;
  readonly sentence: string;
  readonly count: number;
  readonly time: string;
}

const ADD = `insert into audit_event (account_id, kind, connection_id, subject, sentence, count)
             values (?, ?, ?, ?, ?, ?) returning id`;

const values = (event: AuditEvent, count: number) => [
  event.accountId,
  event.kind,
  event.connectionId,
  event.subject,
  event.sentence,
  count,
];

/** Answers its number, which grows. */
export async function addEvent(em: Manager, event: AuditEvent, count = 1): Promise<bigint> {
  const rows: { id: string }[] = await em.execute(ADD, values(event, count));
  return BigInt(rows[0]!.id);
}

/** Onto the row of the same refusal within the last minute, so that a flood of them is a few rows. Whether there was one. */
export async function countRefusal(em: Manager, event: AuditEvent, times: number): Promise<boolean> {
  const rows: unknown[] = await em.execute(
    `update audit_event set count = count + ?, sentence = ?
      where id = (select id from audit_event
                   where connection_id = ? and kind = ? and subject = ? and time > now() - interval '1 minute'
                   order by id desc limit 1)
      returning id`,
    [times, event.sentence, event.connectionId, event.kind, event.subject],
  );
  return rows.length > 0;
}

/** The oldest of these kinds beyond the newest so many. Whoever else is at it has taken the rest. */
export async function dropOldest(
  em: Manager,
  accountId: string,
  which: { readonly areRefusals: boolean; readonly keep: number },
): Promise<void> {
  await em.execute(
    `delete from audit_event where id in (
       select id from audit_event where account_id = ? and (kind = 'call.refused') = ?::boolean
        order by id desc offset ? for update skip locked)`,
    [accountId, which.areRefusals, which.keep],
  );
}

/** Newest first; what a connection did, and what was done to it. */
export function eventsBefore(
  em: Manager,
  which: { readonly accountId: string; readonly connectionId: string },
  beforeId: string,
  size: number,
): Promise<AuditRow[]> {
  return em.execute(
    `select id::text as id, kind, connection_id, subject, sentence, count, time from audit_event
      where account_id = ? and audit_event.id < ?::bigint and (? = '' or connection_id = ? or subject = ?)
      order by audit_event.id desc limit ?`,
    [which.accountId, beforeId, which.connectionId, which.connectionId, which.connectionId, size],
  );
}
