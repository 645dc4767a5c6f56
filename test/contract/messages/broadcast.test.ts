import { expect } from 'vitest';
import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import { StandingReason } from '#gen/agentworks/messages/v1/messages_pb.ts';
import { refuses } from '../../doors/door.ts';
import { proves } from '../proves.ts';

proves(
  'MSG-16a',
  'a broadcast stores one copy for each other agent, and none for the sender',
  async ({ world, door }) => {
    const alice = door.as(await world.agent('alice'));
    const others = [door.as(await world.agent('bob')), door.as(await world.agent('carol'))];
    const foreign = door.as(await (await world.account('other')).agent('eve'));
    await alice.messages.send({ target: 'agent:*', body: 'to all' });
    for (const other of others) expect((await other.messages.read({})).messages).toMatchObject([{ body: 'to all' }]);
    expect((await alice.messages.read({})).messages).toEqual([]);
    expect((await foreign.messages.read({})).messages).toEqual([]);
  },
);

proves(
  'MSG-1a.1',
  'a broadcast answers once for each recipient, in the order of their names',
  async ({ world, door }) => {
    const alice = door.as(await world.agent('alice'));
    for (const name of ['dave', 'Bob', 'carol']) await world.agent(name);
    const sent = await alice.messages.send({ target: 'agent:*', body: 'to all' });
    expect(sent).toMatchObject({ inboxId: '', conversationId: '', messageId: '' });
    expect(sent.recipients.map(({ agentName }) => agentName)).toEqual(['Bob', 'carol', 'dave']);
  },
);

proves('MSG-16b', 'each copy has its own conversation and its own receipt', async ({ world, door }) => {
  const alice = door.as(await world.agent('alice'));
  const bob = door.as(await world.agent('bob'));
  await world.agent('carol');
  const { recipients } = await alice.messages.send({ target: 'agent:*', body: 'to all' });
  for (const key of ['messageId', 'conversationId', 'inboxId'] as const)
    expect(new Set(recipients.map((recipient) => recipient[key])).size).toBe(2);
  const [received] = (await bob.messages.read({})).messages;
  await bob.messages.send({ inboxId: received!.replyAddress, body: 'only to you' });
  expect((await alice.messages.read({ inboxId: recipients[0]!.inboxId })).messages).toMatchObject([
    { fromAgent: 'bob' },
  ]);
  expect((await alice.messages.read({ inboxId: recipients[1]!.inboxId })).messages).toEqual([]);
  for (const { messageId, agentName } of recipients)
    expect((await alice.messages.getReceipts({ messageId })).receipts).toMatchObject([
      { agentName, reason: StandingReason.MAILBOX_ONLY },
    ]);
});

proves('MSG-16c', 'a retried broadcast answers the first copies and stores no more', async ({ world, door }) => {
  const alice = door.as(await world.agent('alice'));
  const bob = door.as(await world.agent('bob'));
  await world.agent('carol');
  const broadcast = { target: 'agent:*', body: 'to all', submissionId: 'b1' };
  const first = await alice.messages.send(broadcast);
  const late = door.as(await world.agent('dave'));
  const again = await alice.messages.send(broadcast);
  const ids = (sent: typeof first) => sent.recipients.map(({ agentName, messageId }) => `${agentName} ${messageId}`);
  expect(ids(again)).toEqual(ids(first));
  expect((await bob.messages.read({})).messages).toHaveLength(1);
  expect((await late.messages.read({})).messages).toEqual([]);
});

proves('MSG-16d', 'a broadcast that reaches nobody is refused', async ({ world, door }) => {
  const alice = door.as(await world.agent('alice'));
  const refusal = await refuses(Reason.NOT_FOUND, alice.messages.send({ target: 'agent:*', body: 'to all' }));
  expect(refusal.subject).toBe('target');
});
