import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as later } from 'node:timers/promises';
import { OfferOutcome } from '#gen/agentworks/agents/v1/attachments_pb.ts';
import { openTransport } from '../../bridge/client/transport.ts';
import { openJournal } from '../../bridge/journal/open.ts';
import { openLink } from '../../bridge/link/open.ts';

/**
 * A bridge with one session, as a process that a test kills: what it emits, and what it promised to send, it writes to
 * files that a kill does not take back.
 */
const folder = process.argv[2]!;
const { HOST_SERVER: address = '', HOST_SECRET: secret = '' } = process.env;
const note = (file: string, line: string) => appendFileSync(join(folder, file), `${line}\n`);

const journal = openJournal(join(folder, 'journal.db'));
const [lease] = journal.leases();
const attachmentId = lease!.attachmentId;
let isWanted = false;
let wake = () => {};
const link = openLink({
  open: async () => openTransport({ address, secret, plaintext: true }),
  journal,
  hello: { version: '0.1.0', bootId: 'boot', computer: 'desk' },
  onPending: () => {
    isWanted = true;
    wake();
  },
  onEnded: (_id, reason) => note('faults', `ended ${reason}`),
  onRefused: ({ submissionId }, { reason }) => note('faults', `refused ${submissionId} ${reason}`),
});
await link.bind(lease!, { route: 'stop-hook', wakes: false, routeDetail: '' });

/** The one order that loses nothing and repeats nothing: written down, released, emitted. */
async function offer(): Promise<void> {
  const items = journal.pending(attachmentId, 20);
  if (items.length === 0) return;
  const ids = items.map(({ messageId }) => messageId);
  journal.offer(attachmentId, ids, 'stop-hook');
  const offers = await link.claim(attachmentId, ids, 'stop-hook', false).catch(() => undefined);
  if (offers === undefined) return journal.takeBack(attachmentId, ids);
  const granted = new Set(offers.filter((one) => one.outcome === OfferOutcome.GRANTED).map((one) => one.messageId));
  for (const { messageId, message } of items) if (granted.has(messageId)) note('turns', `${messageId} ${message.body}`);
  journal.emitted(attachmentId, ids);
  if (granted.size > 0) await link.acknowledge(attachmentId, [...granted], 'processed').catch(() => {});
  return offer();
}

async function deliver(): Promise<never> {
  for (;;) {
    if (!isWanted) await new Promise<void>((done) => (wake = done));
    isWanted = false;
    await offer();
  }
}

const stopping = new AbortController();
process.on('SIGTERM', () => stopping.abort());

const tries = join(folder, 'tries');
let number = existsSync(tries) ? readFileSync(tries, 'utf8').split('\n').length - 1 : 0;

/** Promised once it is answered, or kept for later. */
async function talk(): Promise<void> {
  while (!stopping.signal.aborted) {
    note('tries', `${++number}`);
    const said = await link.send(attachmentId, {
      target: 'agent:alice',
      body: `${number}`,
      submissionId: `s${number}`,
    });
    note('promised', `${number} ${said === 'queued' ? 'queued' : 'sent'}`);
    await later(2);
  }
  while (journal.outbox.count() > 0) await later(10);
}

void deliver();
await talk();
await link.close();
journal.close();
process.exit(0);
