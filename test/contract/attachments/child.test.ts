import { expect } from 'vitest';
import { Acknowledgement, AttachOrigin } from '#gen/agentworks/agents/v1/attachments_pb.ts';
import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import { refuses } from '../../doors/door.ts';
import { rpc } from '../../doors/rpc.ts';
import { attached } from '../../world/attached.ts';
import { attachThrough, session } from '../../world/session.ts';
import { proves } from '../proves.ts';

proves(
  'ATT-7a',
  'an attached agent has a connection of its own that speaks by its name only',
  async ({ world, door }) => {
    const person = await world.person();
    const alice = rpc.as(await world.agent('alice'));
    const { child, attachment, attachmentId } = await attachThrough(door.as(person), person, session('bob', 's1'));
    const bob = door.as(child);
    expect(await bob.access.whoAmI({})).toMatchObject({
      connectionId: attachment.childConnectionId,
      kind: 3,
      agentName: 'bob',
    });
    expect(attachment.childConnectionId).not.toBe(person.connectionId);
    await bob.messages.send({ target: 'agent:alice', body: 'hello', attachmentId });
    expect((await alice.messages.read({})).messages).toMatchObject([{ fromAgent: 'bob' }]);
    const asAlice = { agentName: 'alice', target: 'agent:bob', body: 'as alice', attachmentId };
    await refuses(Reason.NOT_ALLOWED, bob.messages.send(asAlice));
    await refuses(Reason.NOT_ALLOWED, bob.messages.read({ agentName: 'alice', attachmentId }));
    const { agents } = await bob.agents.list({});
    expect(agents.map(({ name }) => name)).toEqual(['alice', 'bob']);
    expect(agents.map(({ allowedConnectionIds }) => allowedConnectionIds)).toEqual([[], []]);
  },
  {
    doors: ['rpc', 'http'],
    because: 'the cli attaches only what it verified itself, and speaks for no attached agent',
  },
);

proves(
  'ATT-7b',
  'every call of a child names its own live attachment',
  async ({ world, door }) => {
    const person = await world.person();
    const hands = door.as(person);
    await world.agent('alice');
    const bob = await attachThrough(hands, person, session('bob', 's1'));
    const carol = await attachThrough(hands, person, session('carol', 's2'));
    const child = door.as(bob.child);
    await refuses(Reason.BAD_FIELD, child.messages.send({ target: 'agent:alice', body: 'no lease' }));
    await refuses(Reason.LEASE_ENDED, child.messages.read({}));
    for (const attachmentId of [carol.attachmentId, 'att_madeup']) {
      await refuses(Reason.LEASE_ENDED, child.messages.send({ target: 'agent:alice', body: 'hers', attachmentId }));
      await refuses(Reason.LEASE_ENDED, child.messages.read({ attachmentId }));
      await refuses(Reason.LEASE_ENDED, child.agents.setPurpose({ purpose: 'hers', attachmentId }));
      await refuses(Reason.LEASE_ENDED, child.attachments.detach({ attachmentId }));
      const claim = { attachmentId, messageIds: ['msg_madeup'], route: 'stop-hook' };
      await refuses(Reason.LEASE_ENDED, child.attachments.claimOffer(claim));
      const receipt = { attachmentId, messageIds: ['msg_madeup'], acknowledgement: Acknowledgement.ADMITTED };
      await refuses(Reason.LEASE_ENDED, child.attachments.acknowledge(receipt));
    }
  },
  {
    doors: ['rpc', 'http'],
    because: 'the cli attaches only what it verified itself, and speaks for no attached agent',
  },
);

proves(
  'ATT-7c',
  'revoking the login that attached it ends the child at once',
  async ({ world, door }) => {
    const [person, other] = [await world.person(), await world.person()];
    const { child, attachmentId } = await attachThrough(door.as(person), person, session('bob', 's1'));
    await using watch = door.as(child).messages.watchMailbox({ attachmentId });
    await watch.next();
    await door.as(other).access.revokeConnection({ connectionId: person.connectionId });
    await refuses(Reason.SIGNED_OUT, door.as(child).messages.read({ attachmentId }));
    expect((await watch.ended()).refusal.reason).toBe('SIGNED_OUT');
    expect((await door.as(other).attachments.listAttachments({})).attachments).toEqual([]);
  },
  {
    doors: ['rpc', 'http'],
    because: 'the cli attaches only what it verified itself, and speaks for no attached agent',
  },
);

proves(
  'ATT-7d',
  'a child registers nothing, reads as nobody else, and manages no connections',
  async ({ world, door }) => {
    const person = await world.person();
    const alice = rpc.as(await world.agent('alice'));
    await world.agent('carol');
    const { inboxId } = await alice.messages.send({ target: 'agent:carol', body: 'not for bob' });
    const { child, attachment, attachmentId } = await attachThrough(door.as(person), person, session('bob', 's1'));
    const bob = door.as(child);
    await refuses(Reason.NOT_ALLOWED, bob.agents.register({ agentName: 'another' }));
    await refuses(Reason.NOT_ALLOWED, bob.agents.register({ agentName: 'bob' }));
    await refuses(Reason.NOT_ALLOWED, bob.agents.unregister({ agentName: 'bob' }));
    await refuses(Reason.NOT_ALLOWED, bob.agents.resetWakeBudget({}));
    await refuses(Reason.NOT_ALLOWED, bob.attachments.attach(session('bob', 's2')));
    await refuses(Reason.NOT_ALLOWED, bob.attachments.listAttachments({}));
    await refuses(Reason.NOT_ALLOWED, bob.access.createConnection({ label: 'mine' }));
    await refuses(Reason.NOT_ALLOWED, bob.access.revokeConnection({ connectionId: attachment.connectionId }));
    await refuses(Reason.NOT_FOUND, bob.messages.read({ inboxId, attachmentId }));
    await refuses(Reason.NOT_FOUND, bob.messages.send({ inboxId, body: 'as alice', attachmentId }));
    expect((await bob.messages.search({ query: 'bob', attachmentId })).messages).toEqual([]);
  },
  {
    doors: ['rpc', 'http'],
    because: 'the cli attaches only what it verified itself, and speaks for no attached agent',
  },
);

proves(
  'ATT-7e',
  'an agent keeps its child across moves, with a new secret each time; where the child is gone a new one takes its place',
  async ({ world, door }) => {
    const [desk, laptop] = [await world.person(), await world.person()];
    const first = await attachThrough(door.as(desk), desk, session('bob', 's1'));
    const second = await attachThrough(door.as(desk), desk, session('bob', 's2'));
    const third = await attachThrough(door.as(laptop), laptop, session('bob', 's3'));
    for (const moved of [second, third])
      expect(moved.attachment.childConnectionId).toBe(first.attachment.childConnectionId);
    expect(third.attachment.connectionId).toBe(laptop.connectionId);
    for (const { child, attachmentId } of [first, second])
      await refuses(Reason.SIGNED_OUT, door.as(child).messages.read({ attachmentId }));
    await door.as(third.child).messages.read({ attachmentId: third.attachmentId });
    // It hangs on the login that attached it last.
    await door.as(laptop).access.revokeConnection({ connectionId: desk.connectionId });
    await door.as(third.child).messages.read({ attachmentId: third.attachmentId });
    await door.as(laptop).attachments.detach({ attachmentId: third.attachmentId });
    const fourth = await attachThrough(door.as(laptop), laptop, session('bob', 's3'));
    expect(fourth.attachment.childConnectionId).not.toBe(first.attachment.childConnectionId);
    const { connections } = await door.as(laptop).access.listConnections({});
    const children = connections.filter(({ agentName }) => agentName === 'bob');
    expect(children.map(({ connectionId }) => connectionId)).toEqual([fourth.attachment.childConnectionId]);
  },
  {
    doors: ['rpc', 'http'],
    because: 'the cli attaches only what it verified itself, and speaks for no attached agent',
  },
);

proves(
  'ATT-7f',
  'a child that was revoked, by itself or with its login, is replaced once, when the person attaches again',
  async ({ world, door }) => {
    const [desk, laptop] = [await world.person(), await world.person()];
    const hands = door.as(laptop);
    const first = await attachThrough(door.as(desk), desk, session('bob', 's1'));
    const childIds = async () => {
      const { connections } = await hands.access.listConnections({});
      return connections.filter(({ agentName }) => agentName === 'bob').map(({ connectionId }) => connectionId);
    };
    await hands.access.revokeConnection({ connectionId: first.attachment.childConnectionId });
    await refuses(Reason.SIGNED_OUT, door.as(first.child).messages.read({ attachmentId: first.attachmentId }));
    expect(await childIds()).toEqual([]);

    // Two chats at one moment: one of them has the name in the end, and there is one child.
    await Promise.all(['s2', 's3'].map((id) => attachThrough(hands, laptop, session('bob', id))));
    expect(await childIds()).toHaveLength(1);
    const second = await attachThrough(hands, laptop, session('bob', 's4'));
    expect(await childIds()).toEqual([second.attachment.childConnectionId]);
    expect(second.attachment.childConnectionId).not.toBe(first.attachment.childConnectionId);

    await door.as(desk).access.revokeConnection({ connectionId: laptop.connectionId });
    const again = await attachThrough(door.as(desk), desk, session('bob', 's5'));
    await door.as(again.child).messages.read({ attachmentId: again.attachmentId });
    for (const { child } of [first, second])
      await refuses(Reason.SIGNED_OUT, door.as(child).messages.read({ attachmentId: again.attachmentId }));
  },
  {
    doors: ['rpc', 'http'],
    because: 'the cli attaches only what it verified itself, and speaks for no attached agent',
  },
);

proves(
  'ATT-8b',
  'detaching revokes the child; the name and its messages stay',
  async ({ world, door }) => {
    const person = await world.person();
    const hands = door.as(person);
    const alice = rpc.as(await world.agent('alice'));
    const bob = await attachThrough(hands, person, session('bob', 's1'));
    await alice.messages.send({ target: 'agent:bob', body: 'hello' });
    await hands.attachments.detach({ attachmentId: bob.attachmentId });
    await refuses(Reason.SIGNED_OUT, door.as(bob.child).messages.read({ attachmentId: bob.attachmentId }));
    await refuses(Reason.LEASE_ENDED, hands.attachments.detach({ attachmentId: bob.attachmentId }));
    expect((await hands.attachments.listAttachments({})).attachments).toEqual([]);
    expect((await hands.messages.read({ agentName: 'bob' })).messages).toMatchObject([{ body: 'hello' }]);
  },
  {
    doors: ['rpc', 'http'],
    because: 'the cli attaches only what it verified itself, and speaks for no attached agent',
  },
);

proves(
  'ATT-8b',
  'a child detaches only what its own session asked for',
  async ({ world, door }) => {
    const person = await world.person();
    const hands = door.as(person);
    const typed = await attachThrough(hands, person, session('bob', 's1'));
    const { attachmentId } = typed;
    await refuses(Reason.NOT_ALLOWED, door.as(typed.child).attachments.detach({ attachmentId }));
    const own = await attachThrough(hands, person, session('carol', 's2', { origin: AttachOrigin.OWN }));
    await door.as(own.child).attachments.detach({ attachmentId: own.attachmentId });
    const { attachments } = await hands.attachments.listAttachments({});
    expect(attachments.map(({ agentName }) => agentName)).toEqual(['bob']);
  },
  {
    doors: ['rpc', 'http'],
    because: 'the cli attaches only what it verified itself, and speaks for no attached agent',
  },
);

proves(
  'ATT-8b',
  'leases of another account are as unknown as none',
  async ({ world, door }) => {
    const bob = await attached(await world.person(), 'bob');
    const stranger = door.as(await (await world.account('other')).person());
    for (const attachmentId of [bob.attachmentId, 'att_madeup']) {
      await refuses(Reason.LEASE_ENDED, stranger.attachments.detach({ attachmentId }));
      await refuses(Reason.LEASE_ENDED, stranger.attachments.confirm({ attachmentId }));
      await refuses(Reason.LEASE_ENDED, stranger.attachments.claimOffer({ attachmentId, route: 'stop-hook' }));
    }
    expect((await stranger.attachments.listAttachments({})).attachments).toEqual([]);
  },
  {
    doors: ['rpc', 'http'],
    because: 'the cli attaches only what it verified itself, and speaks for no attached agent',
  },
);
