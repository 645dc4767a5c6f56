// The product's own Send and WatchMailbox with nothing behind them but the durable write: what is left to win on Connect.
import { createServer } from 'node:http2';
import { connectNodeAdapter } from '@connectrpc/connect-node';
import pg from 'pg';
import { MessageService } from '#gen/agentworks/messages/v1/messages_pb.ts';
import { batched, Followers } from './batch.ts';

const pool = new pg.Pool({ host: process.env['POSTGRES']!, user: 'agentworks', database: 'postgres', max: 2 });
await pool.query(
  `create table message(seq bigint generated always as identity primary key, inbox text not null,
                        submission text not null unique, body text not null);
   create index on message(inbox, seq)`,
);
const store = batched<{ inbox: string; submission: string; body: string }>(
  (batch) =>
    pool.query({
      name: 'store',
      text: 'insert into message(inbox, submission, body) select * from unnest($1::text[], $2::text[], $3::text[])',
      values: [batch.map((m) => m.inbox), batch.map((m) => m.submission), batch.map((m) => m.body)],
    }),
  2,
);

const followers = new Followers();
const handler = connectNodeAdapter({
  routes: (router) =>
    router.service(MessageService, {
      async send({ target, submissionId, body }) {
        await store({ inbox: target, submission: submissionId, body });
        followers.tell(target, body);
        return { messageId: submissionId };
      },
      async *watchMailbox({ agentName }, { signal }) {
        const waiting: string[] = [];
        let wake: (() => void) | undefined;
        const leave = followers.add(`agent:${agentName}`, (body) => {
          waiting.push(body);
          wake?.();
        });
        signal.addEventListener('abort', () => wake?.());
        try {
          yield {};
          while (!signal.aborted) {
            while (waiting.length > 0) yield { messages: waiting.splice(0).map((body) => ({ body })) };
            await new Promise<void>((woken) => (wake = woken));
          }
        } finally {
          leave();
        }
      },
    }),
});
createServer({ settings: { maxConcurrentStreams: 1024 } }, handler).listen(Number(process.env['PORT']), '127.0.0.1');
