import { expect, test } from 'vitest';
import type { Message, ReadRequest } from '#gen/agentworks/messages/v1/messages_pb.ts';
import { audit, type Reading } from '../auditor/audit.ts';
import { chance } from '../auditor/chance.ts';
import { judge } from '../auditor/figures.ts';
import { Ledger } from '../auditor/ledger.ts';
import { walk } from '../auditor/walk.ts';
import type { Hands } from '../doors/door.ts';
import { rpc } from '../doors/rpc.ts';
import { inWorld } from '../world/world.ts';

const [WRITERS, EACH] = [32, 12];

/** Sends first messages, replies in the conversation that the first began, and now and then to everyone. */
async function write(hands: Hands, name: string, ledger: Ledger): Promise<void> {
  let inboxId = '';
  for (let n = 1; n <= EACH; n++) {
    const said = { sender: name, submissionId: `s-${n}`, body: `${name} ${n}` };
    ledger.says(said);
    const where = n % 4 === 0 ? { target: 'agent:*' } : n % 3 === 0 ? { inboxId } : { target: 'agent:bob' };
    const answer = await hands.messages.send({ ...where, body: said.body, submissionId: said.submissionId });
    if (n === 1) inboxId = answer.inboxId;
    ledger.answered(
      said,
      answer.recipients.map(({ agentName: to, messageId }) => ({ to, messageId })),
    );
  }
}

/** Reads on from page to page, of a size that changes each time, until nothing comes after the last was written. */
async function follow(
  hands: Hands,
  what: Partial<Pick<ReadRequest, 'inboxId' | 'fromAgent'>>,
  { isOver, seed }: { isOver: () => boolean; seed: number },
): Promise<Message[]> {
  const random = chance(seed);
  const seen: Message[] = [];
  for (let after = '0'; ;) {
    const wasOver = isOver();
    const pageSize = 1 + Math.floor(random() ** 3 * 100);
    const page = await hands.messages.read({ ...what, after, pageSize, waitSeconds: Math.floor(random() * 3) });
    expect(page.messages.length).toBeLessThanOrEqual(pageSize);
    if (page.messages.length === 0 && wasOver) return seen;
    seen.push(...page.messages);
    after = page.nextCursor;
  }
}

test(
  'MSG-5g readers with pages of any size miss and repeat nothing while 32 writers write over two servers',
  () =>
    inWorld(async (world) => {
      const second = await world.secondNode();
      const bob = await world.agent('bob');
      const readers = [rpc.as(bob), rpc.as(world.at(second, bob))];
      const writers = [];
      for (let n = 1; n <= WRITERS; n++) writers.push(await world.agent(`writer-${n}`));
      const ledger = new Ledger();
      let isOver = false;
      const writing = Promise.all(
        writers.map((agent, n) =>
          write(rpc.as(n % 2 === 0 ? agent : world.at(second, agent)), agent.agentName, ledger),
        ),
      ).then(() => (isOver = true));
      const followed: Reading[] = await Promise.all(
        [1, 2, 3, 4].map(async (seed) => ({
          mailbox: 'bob',
          messages: await follow(readers[seed % 2]!, {}, { isOver: () => isOver, seed }),
        })),
      );
      await writing;
      const whole: Reading[] = [];
      for (const agent of [bob, ...writers])
        whole.push({ mailbox: agent.agentName, messages: await walk(rpc.as(agent).messages.read, {}, () => 17) });
      // Whoever read to the end while it was written has all of it.
      whole.push(...followed);
      judge('paging', { writers: WRITERS, servers: 2, readers: 4 }, audit({ ledger, whole }));

      // The same through the side of each conversation, and through the filter of each sender.
      const all = whole[0]!.messages;
      for (const [n, name] of ['writer-1', 'writer-2', 'writer-31'].entries()) {
        const { replyAddress } = all.find(({ body }) => body === `${name} 1`)!;
        const side = all.filter((message) => message.replyAddress === replyAddress);
        expect(side.length).toBeGreaterThan(1);
        const inInbox = await walk(readers[n % 2]!.messages.read, { inboxId: replyAddress }, () => 1 + (n % 3));
        expect(inInbox.map(({ messageId }) => messageId)).toEqual(side.map(({ messageId }) => messageId));
        const sent = await walk(readers[n % 2]!.messages.read, { fromAgent: name }, () => 3);
        expect(sent.map(({ body }) => body)).toEqual(Array.from({ length: EACH }, (_, at) => `${name} ${at + 1}`));
      }
    }),
  60_000,
);

test(
  'MSG-5f one side of a conversation is followed without a gap while its other side and strangers write',
  () =>
    inWorld(async (world) => {
      const second = await world.secondNode();
      const bob = await world.agent('bob');
      const alice = rpc.as(await world.agent('alice'));
      const strangers = [];
      for (let n = 1; n <= 8; n++) strangers.push(await world.agent(`writer-${n}`));
      const { inboxId } = await alice.messages.send({ target: 'agent:bob', body: 'alice 0' });
      const [first] = (await rpc.as(bob).messages.read({})).messages;
      const count = 60;
      let isOver = false;
      const writing = (async () => {
        for (let n = 1; n < count; n++) await alice.messages.send({ inboxId, body: `alice ${n}` });
        isOver = true;
      })();
      const noise = Promise.all(
        strangers.map((agent, n) =>
          write(rpc.as(n % 2 === 0 ? agent : world.at(second, agent)), agent.agentName, new Ledger()),
        ),
      );
      const what = { inboxId: first!.replyAddress };
      const seen = await Promise.all(
        [1, 2, 3].map((seed) =>
          follow(rpc.as(seed === 1 ? bob : world.at(second, bob)), what, { isOver: () => isOver, seed }),
        ),
      );
      await writing;
      await noise;
      for (const messages of seen)
        expect(messages.map(({ body }) => body)).toEqual(Array.from({ length: count }, (_, n) => `alice ${n}`));
    }),
  60_000,
);
