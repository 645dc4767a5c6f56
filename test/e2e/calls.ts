import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';

/** The HTTP status, and the reason when it was refused. */
interface Answer {
  readonly status: number;
  readonly reason: string | undefined;
}

export async function whoAmI(url: string, secret = ''): Promise<Answer> {
  const answer = await fetch(`${url}/agentworks.access.v1.AccessService/WhoAmI`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(secret === '' ? {} : { authorization: `Bearer ${secret}` }) },
    body: '{}',
  });
  const body = (await answer.json()) as { details?: { debug: { reason: string } }[] };
  return { status: answer.status, reason: body.details?.[0]?.debug.reason };
}

/** By the login key, as whoever can read the data folder. */
export async function signIn(url: string, data: string): Promise<string> {
  const loginKey = readFileSync(join(data, 'login-key'), 'utf8').trim();
  const answer = await fetch(`${url}/agentworks.access.v1.AccessService/Login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ loginKey }),
  });
  return ((await answer.json()) as { secret: string }).secret;
}

/** Straight to the embedded PostgreSQL. Answers the first column. */
export async function askPostgres(data: string, statement: string, database = 'agentworks'): Promise<unknown[]> {
  const client = new pg.Client({ host: join(data, 'postgres'), user: 'agentworks', database });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows.map((row) => Object.values(row)[0]);
  } finally {
    await client.end();
  }
}
