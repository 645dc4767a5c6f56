import type { Manager } from '../../core/database.ts';
import { LIVE } from './connections.ts';

/** Under the account's lock: beyond so many, the oldest is worth nothing any more. Answers until when it can be used. */
export async function addCode(
  em: Manager,
  code: { readonly hash: string; readonly accountId: string; readonly connectionId: string },
  bound: { readonly seconds: number; readonly most: number },
): Promise<string> {
  await em.execute('select from account where id = ? for no key update', [code.accountId]);
  await em.execute(
    `delete from sign_in_code where expire_time <= now() or code_hash in (
       select code_hash from sign_in_code where account_id = ? order by expire_time desc, code_hash offset ?)`,
    [code.accountId, bound.most - 1],
  );
  const rows: { expire_time: string }[] = await em.execute(
    `insert into sign_in_code (code_hash, account_id, connection_id, expire_time)
     values (?, ?, ?, now() + ?::int * interval '1 second') returning expire_time`,
    [code.hash, code.accountId, code.connectionId, bound.seconds],
  );
  return rows[0]!.expire_time;
}

/** Takes the code, which of two who bring it at one moment only one can; whose it was, if that connection is alive. */
export async function takeCode(
  em: Manager,
  hash: string,
): Promise<{ readonly account_id: string; readonly connection_id: string } | undefined> {
  const rows: { account_id: string; connection_id: string; live: boolean }[] = await em.execute(
    `delete from sign_in_code s where s.code_hash = ? and s.expire_time > now()
      returning s.account_id, s.connection_id, exists (
        select from connection c left join connection p on p.id = c.parent_id
         where c.id = s.connection_id and ${LIVE}) as live`,
    [hash],
  );
  return rows.find((row) => row.live);
}

/** Counts one attempt, of all nodes; answers how many there were in this minute. */
export async function countGuess(em: Manager): Promise<number> {
  const rows: { count: number }[] = await em.execute(
    `insert into sign_in_guess (minute, count) values (floor(extract(epoch from now()) / 60)::int, 1)
     on conflict (minute) do update set count = sign_in_guess.count + 1 returning count`,
  );
  return rows[0]!.count;
}

/** One that was right was no guess. What is of earlier minutes goes with it. */
export async function uncountGuess(em: Manager): Promise<void> {
  await em.execute('delete from sign_in_guess where minute < floor(extract(epoch from now()) / 60)::int - 1');
  await em.execute(
    'update sign_in_guess set count = count - 1 where minute = floor(extract(epoch from now()) / 60)::int and count > 0',
  );
}
