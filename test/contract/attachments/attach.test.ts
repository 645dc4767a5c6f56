import { expect } from 'vitest';
import { Presence } from '#gen/agentworks/agents/v1/agents_pb.ts';
import { AttachOrigin } from '#gen/agentworks/agents/v1/attachments_pb.ts';
import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import { refuses } from '../../doors/door.ts';
import { rpc } from '../../doors/rpc.ts';
import { beside } from '../../world/bare-node.ts';
import { LinkedBridge } from '../../world/bridge.ts';
import { attachThrough, session } from '../../world/session.ts';
import { proves } from '../proves.ts';

const OWN = AttachOrigin.OWN;

proves(
  'RCP-3a',
  'moving a name makes a new attachment, and the older one is refused from then on',
  async ({ world, door }) => {
    const person = await world.person();
    const hands = door.as(person);
    const alice = rpc.as(await world.agent('alice'));
    const first = await attachThrough(hands, person, session('bob', 's1'));
    const { messageId } = await alice.messages.send({ target: 'agent:bob', body: 'hello' });
    const second = await attachThrough(hands, person, session('bob', 's2'));
    expect(second.attachmentId).not.toBe(first.attachmentId);
    expect(second.attachment.agentId).toBe(first.attachment.agentId);
    const { attachmentId } = first;
    // With its own old secret, with the new one, and with the person's.
    await refuses(Reason.SIGNED_OUT, door.as(first.child).messages.read({ attachmentId }));
    const child = door.as(second.child);
    const claim = { attachmentId, messageIds: [messageId], route: 'stop-hook', wakes: false };
    await refuses(Reason.LEASE_ENDED, child.attachments.claimOffer(claim));
    await refuses(Reason.LEASE_ENDED, hands.attachments.claimOffer(claim));
    await refuses(
      Reason.LEASE_ENDED,
      child.attachments.acknowledge({ attachmentId, messageIds: [messageId], acknowledgement: 1 }),
    );
    await refuses(Reason.LEASE_ENDED, child.messages.send({ target: 'agent:alice', body: 'as bob', attachmentId }));
    await refuses(Reason.LEASE_ENDED, child.messages.read({ attachmentId }));
    await refuses(Reason.LEASE_ENDED, hands.attachments.detach({ attachmentId }));
    expect((await child.messages.read({ attachmentId: second.attachmentId })).messages).toMatchObject([{ messageId }]);
  },
  {
    doors: ['rpc', 'http'],
    because: 'the cli attaches only what it verified itself, and speaks for no attached agent',
  },
);

proves(
  'RCP-3c',
  'the same session attached again gets the same lease and no second secret',
  async ({ world, door }) => {
    const person = await world.person();
    const { attachments } = door.as(person);
    const first = await attachments.attach(session('bob', 's1'));
    expect(first).toMatchObject({ registered: true, epoch: expect.stringMatching(/./) });
    expect(first.childSecret).toMatch(/^aw1_/);
    const again = await attachments.attach(session('bob', 's1'));
    expect(again).toMatchObject({ registered: false, childSecret: '', startCursor: first.startCursor });
    expect(again.attachment).toEqual(first.attachment);
    const child = { ...person, secret: first.childSecret };
    await door.as(child).messages.read({ attachmentId: first.attachment!.attachmentId });
  },
  {
    doors: ['rpc', 'http'],
    because: 'the cli attaches only what it verified itself, and speaks for no attached agent',
  },
);

proves(
  'ATT-6a',
  'attaching again keeps the lease under the process that the session has now, and replays nothing',
  async ({ world, door }) => {
    const person = await world.person();
    const hands = door.as(person);
    const alice = rpc.as(await world.agent('alice'));
    const first = await attachThrough(hands, person, session('bob', 's1'));
    const { messageId } = await alice.messages.send({ target: 'agent:bob', body: 'hello' });
    const claim = { attachmentId: first.attachmentId, messageIds: [messageId], route: 'stop-hook', wakes: false };
    await door.as(first.child).attachments.claimOffer(claim);
    const restarted = { pid: 4712n, startTime: '200', bootId: 'boot' };
    const again = await hands.attachments.attach(session('bob', 's1', { process: restarted, folder: '/elsewhere' }));
    expect(again.attachment).toMatchObject({
      attachmentId: first.attachmentId,
      process: restarted,
      folder: '/elsewhere',
    });
    const { offers } = await door.as(first.child).attachments.claimOffer(claim);
    expect(offers).toMatchObject([{ messageId, outcome: 2 }]);
  },
  {
    doors: ['rpc', 'http'],
    because: 'the cli attaches only what it verified itself, and speaks for no attached agent',
  },
);

proves(
  'RCP-4a',
  'a name moves to the newest session the person attached, typed in a chat or chosen in a terminal',
  async ({ world, door }) => {
    const person = await world.person();
    const { attachments } = door.as(person);
    await attachments.attach(session('bob', 's1'));
    for (const [sessionId, origin] of [
      ['s2', AttachOrigin.TERMINAL],
      ['s3', AttachOrigin.CHAT],
    ] as const) {
      const { attachment } = await attachments.attach(session('bob', sessionId, { origin }));
      expect((await attachments.listAttachments({})).attachments).toEqual([attachment]);
    }
  },
  {
    doors: ['rpc', 'http'],
    because: 'the cli attaches only what it verified itself, and speaks for no attached agent',
  },
);

proves(
  'RCP-4a',
  'a session holds one name: under a new one it answers no longer for the old',
  async ({ world, door }) => {
    const person = await world.person();
    const hands = door.as(person);
    const first = await attachThrough(hands, person, session('bob', 's1'));
    const second = await attachThrough(hands, person, session('carol', 's1'));
    expect((await hands.attachments.listAttachments({})).attachments).toEqual([second.attachment]);
    await refuses(Reason.SIGNED_OUT, door.as(first.child).messages.read({ attachmentId: first.attachmentId }));
    const { agents } = await hands.agents.list({});
    expect(agents.map(({ name, presence }) => [name, presence])).toEqual([
      ['bob', Presence.MAILBOX_ONLY],
      ['carol', Presence.OFFLINE],
    ]);
  },
  {
    doors: ['rpc', 'http'],
    because: 'the cli attaches only what it verified itself, and speaks for no attached agent',
  },
);

proves(
  'RCP-4b, ATT-4b',
  'an agent’s own attach takes no name from another chat, live or offline',
  async ({ world, door }) => {
    const person = await world.person();
    const hands = door.as(person);
    const held = await attachThrough(hands, person, session('bob', 's1'));
    const own = () => hands.attachments.attach(session('bob', 's2', { origin: OWN }));
    expect(await refuses(Reason.NAME_HELD, own())).toMatchObject({ subject: 'bob' });
    {
      await using bridge = await LinkedBridge.open(person);
      await bridge.bind(held);
      await refuses(Reason.NAME_HELD, own());
    }
    expect((await hands.attachments.listAttachments({})).attachments).toMatchObject([
      { attachmentId: held.attachmentId },
    ]);
    await hands.attachments.detach({ attachmentId: held.attachmentId });
    expect((await own()).attachment).toMatchObject({ agentName: 'bob', sessionId: 's2', origin: OWN });
  },
  {
    doors: ['rpc', 'http'],
    because: 'the cli attaches only what it verified itself, and speaks for no attached agent',
  },
);

proves(
  'RCP-4b',
  'an agent’s own attach renames nothing, and does not undo what the person took away',
  async ({ world, door }) => {
    const person = await world.person();
    const hands = door.as(person);
    const { attachment } = await attachThrough(hands, person, session('bob', 's1'));
    await refuses(Reason.NOT_ALLOWED, hands.attachments.attach(session('carol', 's1', { origin: OWN })));
    await refuses(Reason.NOT_FOUND, hands.agents.get({ agentName: 'carol' }));
    const again = await hands.attachments.attach(session('bob', 's1', { origin: OWN }));
    expect(again.attachment).toMatchObject({ attachmentId: attachment.attachmentId, origin: AttachOrigin.CHAT });
    await hands.access.revokeConnection({ connectionId: attachment.childConnectionId });
    await refuses(Reason.NOT_ALLOWED, hands.attachments.attach(session('bob', 's1', { origin: OWN })));
    const { childSecret } = await hands.attachments.attach(session('bob', 's1'));
    expect(childSecret).toMatch(/^aw1_/);
  },
  {
    doors: ['rpc', 'http'],
    because: 'the cli attaches only what it verified itself, and speaks for no attached agent',
  },
);

proves(
  'AGT-6c',
  'an attached agent is live, at turn boundaries or offline, as its bridge stands',
  async ({ world, door }) => {
    const person = await world.person();
    const hands = door.as(person);
    const bob = await attachThrough(hands, person, session('bob', 's1'));
    const seen = async () => {
      const { presence, route } = (await hands.agents.get({ agentName: 'bob' })).agent!;
      const [attachment] = (await hands.attachments.listAttachments({})).attachments;
      expect(attachment).toMatchObject({ presence, route });
      return [presence, route];
    };
    expect(await seen()).toEqual([Presence.OFFLINE, '']);
    {
      await using bridge = await LinkedBridge.open(person);
      await bridge.bind(bob);
      expect(await seen()).toEqual([Presence.LIVE, 'claude-socket']);
      await bridge.bind(bob, 'stop-hook', false);
      expect(await seen()).toEqual([Presence.HOOKS, 'stop-hook']);
    }
    await using watch = rpc.as(person).agents.watchDirectory({});
    while ((await watch.next()).agents[0]?.presence !== Presence.OFFLINE);
    expect(await seen()).toEqual([Presence.OFFLINE, 'stop-hook']);
  },
  {
    doors: ['rpc', 'http'],
    because: 'the cli attaches only what it verified itself, and speaks for no attached agent',
  },
);

proves(
  'ATT-9a',
  'a lease approved under a narrower policy is delivered nothing until the person confirms it',
  async ({ world, door }) => {
    const person = await world.person();
    const hands = door.as(person);
    const alice = rpc.as(await world.agent('alice'));
    const { child, attachmentId } = await attachThrough(hands, person, session('bob', 's1'));
    const { messageId } = await alice.messages.send({ target: 'agent:bob', body: 'hello' });
    // What an upgrade that widens the policy does.
    await beside(world.where, 'update attachment set needs_confirmation = true');
    const claim = { attachmentId, messageIds: [messageId], route: 'stop-hook', wakes: false };
    await refuses(Reason.NOT_ALLOWED, door.as(child).attachments.claimOffer(claim));
    await refuses(Reason.NOT_ALLOWED, door.as(child).messages.read({ attachmentId }));
    expect((await hands.attachments.listAttachments({})).attachments).toMatchObject([{ needsConfirmation: true }]);
    await refuses(Reason.NOT_ALLOWED, door.as(child).attachments.confirm({ attachmentId }));
    const { attachment } = await hands.attachments.confirm({ attachmentId });
    expect(attachment).toMatchObject({ attachmentId, needsConfirmation: false });
    expect((await door.as(child).attachments.claimOffer(claim)).offers).toMatchObject([{ messageId, outcome: 1 }]);
  },
  {
    doors: ['rpc', 'http'],
    because: 'the cli attaches only what it verified itself, and speaks for no attached agent',
  },
);
