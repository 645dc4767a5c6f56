import { expect } from 'vitest';
import { Acknowledgement } from '#gen/agentworks/agents/v1/attachments_pb.ts';
import { EvidenceKind } from '#gen/agentworks/bridge/v1/bridge_pb.ts';
import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import { ReceiptEventKind, ReceiptState, StandingReason } from '#gen/agentworks/messages/v1/messages_pb.ts';
import { refuses } from '../../doors/door.ts';
import { rpc } from '../../doors/rpc.ts';
import { attached } from '../../world/attached.ts';
import { LinkedBridge } from '../../world/bridge.ts';
import { proves } from '../proves.ts';

proves(
  'MSG-18a, MSG-18e',
  'the sender sees the whole way of a message, with the route that carried it',
  async ({ world, door }) => {
    const alice = door.as(await world.agent('alice'));
    const { child, attachmentId } = await attached(await world.person(), 'bob');
    const bob = rpc.as(child).attachments;
    const { messageId } = await alice.messages.send({ target: 'agent:bob', body: 'hello' });
    const messageIds = [messageId];
    await bob.claimOffer({ attachmentId, messageIds, route: 'claude-socket', wakes: true });
    await bob.acknowledge({ attachmentId, messageIds, acknowledgement: Acknowledgement.ADMITTED });
    await bob.acknowledge({ attachmentId, messageIds, acknowledgement: Acknowledgement.PROCESSED });
    const { receipts } = await alice.messages.getReceipts({ messageId });
    expect(receipts).toMatchObject([
      { agentName: 'bob', state: ReceiptState.PROCESSED, reason: StandingReason.UNSPECIFIED },
    ]);
    expect(receipts[0]!.events).toMatchObject([
      { kind: ReceiptEventKind.STORED, source: 'server', attachmentId: '' },
      { kind: ReceiptEventKind.OFFERED, route: 'claude-socket', attachmentId },
      { kind: ReceiptEventKind.ADMITTED, source: 'agent', attachmentId },
      { kind: ReceiptEventKind.PROCESSED, source: 'agent', attachmentId },
    ]);
    const times = receipts[0]!.events.map(({ time }) => Number(time!.seconds) * 1e9 + time!.nanos);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
  },
);

proves('MSG-18b', 'the timeline says why a message stands still', async ({ world, door }) => {
  const alice = door.as(await world.agent('alice'));
  const person = await world.person();
  const standing = async (target: string, noWake = false) => {
    const { messageId } = await alice.messages.send({ target, body: 'hello', noWake });
    const reason = async () => (await alice.messages.getReceipts({ messageId })).receipts[0]!.reason;
    return { messageId, reason };
  };
  const carol = await world.agent('carol');
  const toCarol = await standing('agent:carol');
  expect(await toCarol.reason()).toBe(StandingReason.MAILBOX_ONLY);
  await rpc.as(carol).agents.unregister({ agentName: 'carol' });
  expect(await toCarol.reason()).toBe(StandingReason.UNREGISTERED);

  const { child, attachmentId } = await attached(person, 'bob');
  const toBob = await standing('agent:bob');
  expect(await toBob.reason()).toBe(StandingReason.OFFLINE);
  const messageIds = [toBob.messageId];
  await rpc.as(child).attachments.claimOffer({ attachmentId, messageIds, route: 'stop-hook', wakes: false });
  expect(await toBob.reason()).toBe(StandingReason.NOT_ACKNOWLEDGED);
  const acknowledgement = Acknowledgement.ADMITTED;
  await rpc.as(child).attachments.acknowledge({ attachmentId, messageIds, acknowledgement });
  expect(await toBob.reason()).toBe(StandingReason.NOT_PROCESSED);
});

proves('MSG-18d', 'only the sender sees the timeline', async ({ world, door }) => {
  const alice = rpc.as(await world.agent('alice'));
  const bob = door.as(await world.agent('bob'));
  const carol = door.as(await world.agent('carol'));
  const eve = door.as(await (await world.account('other')).agent('eve'));
  const { messageId } = await alice.messages.send({ target: 'agent:bob', body: 'hello' });
  const asked = [bob, carol, eve].map((hands) => refuses(Reason.NOT_FOUND, hands.messages.getReceipts({ messageId })));
  const made = await refuses(Reason.NOT_FOUND, eve.messages.getReceipts({ messageId: 'msg_madeup' }));
  for (const refusal of await Promise.all(asked)) expect(refusal).toEqual(made);
});

proves('MSG-18c', 'what a host holds back shows as the reason, with the bridge’s words', async ({ world, door }) => {
  const person = await world.person();
  const alice = door.as(await world.agent('alice'));
  const session = await attached(person, 'bob');
  await using bridge = await LinkedBridge.open(person);
  await bridge.bind(session);
  const shown = [
    [EvidenceKind.HELD_BY_HOST, StandingReason.HELD_BY_HOST, ''],
    [EvidenceKind.HOOK_NOT_TRUSTED, StandingReason.HOOK_NOT_TRUSTED, 'run /hooks'],
    [EvidenceKind.CHANNEL_IGNORED, StandingReason.CHANNEL_IGNORED, 'channels are off'],
  ] as const;
  for (const [kind, reason, detail] of shown) {
    const { messageId } = await alice.messages.send({ target: 'agent:bob', body: 'hello' });
    bridge.show(kind, session, [messageId], detail);
    const receipt = async () => (await alice.messages.getReceipts({ messageId })).receipts[0]!;
    // Evidence is not answered: the timeline shows when it has arrived.
    while ((await receipt()).events.length < 2);
    const { events, reason: standing, state } = await receipt();
    expect(standing).toBe(reason);
    expect(state).toBe(ReceiptState.STORED);
    expect(events[1]).toMatchObject({ kind: ReceiptEventKind.BLOCKED, detail: expect.stringContaining(detail) });
  }
});
