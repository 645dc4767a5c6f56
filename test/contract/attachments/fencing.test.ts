import { expect, test } from 'vitest';
import { Presence } from '#gen/agentworks/agents/v1/agents_pb.ts';
import { Acknowledgement } from '#gen/agentworks/agents/v1/attachments_pb.ts';
import { EndReason } from '#gen/agentworks/bridge/v1/bridge_pb.ts';
import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import { openClient, type Where } from '../../../server/core/database.ts';
import { refuses } from '../../doors/door.ts';
import { rpc } from '../../doors/rpc.ts';
import { attached } from '../../world/attached.ts';
import { beside } from '../../world/bare-node.ts';
import { LinkedBridge } from '../../world/bridge.ts';
import { session } from '../../world/session.ts';
import { inWorld } from '../../world/world.ts';

test('RCP-3b a moved name is refused on every server before the move is answered', () =>
  inWorld(async (world) => {
    const person = await world.person();
    const elsewhere = world.at(await world.secondNode(), person);
    const alice = rpc.as(await world.agent('alice'));
    const first = await attached(elsewhere, 'bob', 's1');
    const { messageId } = await alice.messages.send({ target: 'agent:bob', body: 'hello' });
    await using watch = rpc.as(first.child).messages.watchMailbox({ attachmentId: first.attachmentId });
    await watch.next();
    await attached(person, 'bob', 's2');
    const { attachmentId } = first;
    const old = rpc.as(first.child);
    await refuses(Reason.SIGNED_OUT, old.messages.read({ attachmentId }));
    const claim = { attachmentId, messageIds: [messageId], route: 'stop-hook', wakes: false };
    await refuses(Reason.LEASE_ENDED, rpc.as(elsewhere).attachments.claimOffer(claim));
    await alice.messages.send({ target: 'agent:bob', body: 'not for the old one' });
    const { refusal, last } = await watch.ended();
    expect(refusal.reason).toBe('LEASE_ENDED');
    expect(last.flatMap(({ messages }) => messages.map(({ body }) => body))).not.toContain('not for the old one');
  }));

test('RCP-3b a bridge on another server is told that its lease moved', () =>
  inWorld(async (world) => {
    const person = await world.person();
    const elsewhere = world.at(await world.secondNode(), person);
    const first = await attached(elsewhere, 'bob', 's1');
    await using bridge = await LinkedBridge.open(elsewhere);
    await bridge.bind(first);
    await attached(person, 'bob', 's2');
    expect(await bridge.until('ended')).toMatchObject({
      attachmentId: first.attachmentId,
      agentName: 'bob',
      reason: EndReason.MOVED,
    });
  }));

test('RCP-5a a detached or unregistered lease ends at once, with its reason', () =>
  inWorld(async (world) => {
    const person = await world.person();
    const elsewhere = world.at(await world.secondNode(), person);
    const [bob, carol, dave] = [
      await attached(person, 'bob'),
      await attached(person, 'carol'),
      await attached(person, 'dave'),
    ];
    await using bridge = await LinkedBridge.open(elsewhere);
    for (const lease of [bob, carol, dave]) await bridge.bind(lease);
    await rpc.as(person).attachments.detach({ attachmentId: bob.attachmentId });
    expect(await bridge.until('ended')).toMatchObject({ attachmentId: bob.attachmentId, reason: EndReason.DETACHED });
    await rpc.as(person).agents.unregister({ agentName: 'carol' });
    expect(await bridge.until('ended')).toMatchObject({
      attachmentId: carol.attachmentId,
      reason: EndReason.UNREGISTERED,
    });
    await rpc.as(person).access.revokeConnection({ connectionId: dave.attachment.childConnectionId });
    expect(await bridge.until('ended')).toMatchObject({ attachmentId: dave.attachmentId, reason: EndReason.REVOKED });
    const { agents } = await rpc.as(person).agents.list({});
    expect(agents.map(({ presence }) => presence)).toEqual([Presence.MAILBOX_ONLY, Presence.MAILBOX_ONLY]);
  }));

test('RCP-3b of sessions that want one name at once, on two servers, one holds it', () =>
  inWorld(async (world) => {
    const person = await world.person();
    const elsewhere = world.at(await world.secondNode(), person);
    const attempts = Array.from({ length: 8 }, (_, i) => {
      const who = i % 2 === 0 ? person : elsewhere;
      return rpc
        .as(who)
        .attachments.attach(session('bob', `s${i}`))
        .then(({ attachment, childSecret }) => ({ attachment: attachment!, child: { ...who, secret: childSecret } }));
    });
    const answers = await Promise.all(attempts);
    const { attachments } = await rpc.as(person).attachments.listAttachments({});
    expect(attachments).toHaveLength(1);
    expect(new Set(answers.map(({ attachment }) => attachment.attachmentId)).size).toBe(8);
    const reads = await Promise.allSettled(
      answers.map(({ attachment, child }) => rpc.as(child).messages.read({ attachmentId: attachment.attachmentId })),
    );
    const holders = answers.filter((_, i) => reads[i]!.status === 'fulfilled');
    expect(holders.map(({ attachment }) => attachment.attachmentId)).toEqual([attachments[0]!.attachmentId]);
    expect((await rpc.as(person).agents.list({})).agents).toHaveLength(1);
  }));

test('RCP-3b of names that want one session at once, on two servers, one gets it', () =>
  inWorld(async (world) => {
    const person = await world.person();
    const elsewhere = world.at(await world.secondNode(), person);
    for (let round = 0; round < 5; round++) {
      const names = Array.from({ length: 4 }, (_, i) => `agent-${i}`);
      await Promise.all(
        names.map((name, i) => rpc.as(i % 2 === 0 ? person : elsewhere).attachments.attach(session(name, `s${round}`))),
      );
      const { attachments } = await rpc.as(person).attachments.listAttachments({});
      expect(attachments.map(({ sessionId }) => sessionId)).toEqual([`s${round}`]);
    }
  }));

test('RCP-3b two names that swap their sessions at once wait for nobody in a circle', () =>
  inWorld(async (world) => {
    const person = await world.person();
    const elsewhere = world.at(await world.secondNode(), person);
    for (let round = 0; round < 5; round++)
      await Promise.all([
        rpc.as(person).attachments.attach(session('bob', round % 2 === 0 ? 's1' : 's2')),
        rpc.as(elsewhere).attachments.attach(session('carol', round % 2 === 0 ? 's2' : 's1')),
      ]);
    const { attachments } = await rpc.as(person).attachments.listAttachments({});
    expect(attachments.map(({ agentName, sessionId }) => `${agentName} ${sessionId}`).toSorted()).toEqual([
      'bob s1',
      'carol s2',
    ]);
  }));

test('RCP-3b a claim and a receipt that meet a move wait for it, and are refused', () =>
  inWorld(async (world) => {
    const bob = await attached(await world.person(), 'bob');
    const alice = rpc.as(await world.agent('alice'));
    const { messageId } = await alice.messages.send({ target: 'agent:bob', body: 'hello' });
    const { attachmentId } = bob;
    const child = rpc.as(bob.child).attachments;
    const mover = openClient(world.where);
    await mover.connect();
    await mover.query('begin');
    await mover.query(`update attachment set end_time = now(), end_reason = 'moved' where id = $1`, [attachmentId]);
    const messageIds = [messageId];
    const late = [
      child.claimOffer({ attachmentId, messageIds, route: 'stop-hook', wakes: false }),
      child.claimOffer({ attachmentId, messageIds, route: 'claude-socket', wakes: true }),
      child.acknowledge({ attachmentId, messageIds, acknowledgement: Acknowledgement.ADMITTED }),
    ];
    const refusals = Promise.all(late.map((attempt) => refuses(Reason.LEASE_ENDED, attempt)));
    await Promise.race([refusals, waitingFor(world.where, 3)]);
    await mover.query('commit');
    await mover.end();
    await refusals;
    expect((await alice.messages.getReceipts({ messageId })).receipts[0]!.events).toHaveLength(1);
  }));

/** Resolves once so many statements of the database wait for a lock. */
async function waitingFor(where: Where, count: number): Promise<void> {
  const waiting =
    'select from pg_stat_activity where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0';
  while ((await beside(where, waiting)).length < count);
}
