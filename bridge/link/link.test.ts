import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Presence } from '#gen/agentworks/agents/v1/agents_pb.ts';
import { OfferOutcome } from '#gen/agentworks/agents/v1/attachments_pb.ts';
import { EndReason, EvidenceKind } from '#gen/agentworks/bridge/v1/bridge_pb.ts';
import { ReceiptState } from '#gen/agentworks/messages/v1/messages_pb.ts';
import { rpc } from '../../test/doors/rpc.ts';
import { type Attached, attached } from '../../test/world/attached.ts';
import { delivered, lease } from '../../test/world/journal.ts';
import type { Agent, Person } from '../../test/world/people.ts';
import { inWorld, type World } from '../../test/world/world.ts';
import { openTransport } from '../client/transport.ts';
import { openJournal } from '../journal/open.ts';
import type { BridgeLink } from './bridge-link.ts';
import { openLink } from './open.ts';

const way = { route: 'claude-socket', wakes: true, routeDetail: '' };

/** A person's computer: its journal, its link, and what the link told it. */
class Computer {
  readonly person: Person;
  readonly folder = mkdtempSync(join(tmpdir(), 'agentworks-link-'));
  readonly journal = openJournal(join(this.folder, 'own', 'journal.db'));
  readonly pending: string[] = [];
  readonly ended: [string, EndReason][] = [];
  readonly refused: string[] = [];
  readonly opened: string[] = [];
  link!: BridgeLink;

  constructor(person: Person) {
    this.person = person;
    person.leave(() => rmSync(this.folder, { recursive: true, force: true }));
    this.connect();
  }

  connect(): void {
    const { server: address, secret } = this.person;
    this.link = openLink({
      open: async () => openTransport({ address, secret, plaintext: true }),
      journal: this.journal,
      hello: { version: '0.1.0', bootId: 'boot', computer: 'desk' },
      onPending: (attachmentId) => this.pending.push(attachmentId),
      onEnded: (attachmentId, reason) => {
        this.ended.push([attachmentId, reason]);
        this.journal.endLease(attachmentId);
      },
      onRefused: ({ request }, { reason }) => this.refused.push(`${request.body}: ${reason}`),
      onChange: () => this.opened.push(this.link.connected ? 'up' : this.link.problem),
    });
  }

  async isUp(): Promise<void> {
    await expect.poll(() => this.link.connected, { timeout: 10_000 }).toBe(true);
  }

  save({ attachmentId, child, attachment, startCursor }: Attached): void {
    const { agentId, agentName } = attachment;
    this.journal.saveLease({
      ...lease(attachmentId),
      agentId,
      agentName,
      childSecret: child.secret!,
      cursor: startCursor,
    });
  }

  /** Attaches a session and takes its lease up. */
  async attach(name: string, sessionId?: string): Promise<Attached> {
    const session = await attached(this.person, name, sessionId);
    this.save(session);
    await this.isUp();
    await this.link.bind(session, way);
    return session;
  }

  bodies({ attachmentId }: Attached): string[] {
    return this.journal.pending(attachmentId, 1_000).map(({ message }) => message.body);
  }

  ids({ attachmentId }: Attached): string[] {
    return this.journal.pending(attachmentId, 1_000).map(({ messageId }) => messageId);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.link.close();
    this.journal.close();
  }
}

const open = async (world: World) => new Computer(await world.person());

async function mailbox(agent: Agent): Promise<string[]> {
  return (await rpc.as(agent).messages.read({})).messages.map(({ body }) => body);
}

const presence = async (world: World, name: string) =>
  (await rpc.as(await world.person()).agents.get({ agentName: name })).agent!.presence;

test('a lease that is bound shows live; what comes for it is kept, released once, and acknowledged', () =>
  inWorld(async (world) => {
    const alice = rpc.as(await world.agent('alice'));
    await using computer = await open(world);
    const bob = await computer.attach('bob');
    expect(await presence(world, 'bob')).toBe(Presence.LIVE);
    const { messageId } = await alice.messages.send({ target: 'agent:bob', body: 'hello' });
    await expect.poll(() => computer.bodies(bob)).toEqual(['hello']);
    expect(computer.pending).toContain(bob.attachmentId);

    const claim = () => computer.link.claim(bob.attachmentId, [messageId], 'claude-socket', true);
    expect(await claim()).toMatchObject([{ messageId, outcome: OfferOutcome.GRANTED }]);
    expect(await claim()).toMatchObject([{ messageId, outcome: OfferOutcome.ALREADY_OFFERED }]);
    await computer.link.acknowledge(bob.attachmentId, [messageId, 'msg_other'], 'processed');
    expect(computer.bodies(bob)).toEqual([]);
    const { receipts } = await alice.messages.getReceipts({ messageId });
    expect(receipts).toMatchObject([{ state: ReceiptState.PROCESSED }]);

    computer.link.unbind(bob.attachmentId);
    await expect.poll(() => presence(world, 'bob')).toBe(Presence.OFFLINE);
  }));

test('BRG-3b after a break, and after a restart of the bridge, it goes on from the saved cursor', () =>
  inWorld(async (world) => {
    const alice = rpc.as(await world.agent('alice'));
    await using computer = await open(world);
    const bob = await computer.attach('bob');
    const say = (body: string) => alice.messages.send({ target: 'agent:bob', body });
    for (let n = 0; n < 25; n++) await say(`${n}`);
    await expect.poll(() => computer.bodies(bob).length).toBe(25);
    const saved = computer.journal.lease(bob.attachmentId)!.cursor;

    await world.restart();
    await say('during');
    await expect.poll(() => computer.bodies(bob).length, { timeout: 10_000 }).toBe(26);
    expect(computer.journal.lease(bob.attachmentId)!.cursor).not.toBe(saved);
    await computer.link.close();
    await say('meanwhile');
    computer.connect();
    await computer.link.bind(bob, way);
    await expect.poll(() => computer.bodies(bob).length).toBe(27);
    expect(computer.bodies(bob)).toEqual([...Array.from({ length: 25 }, (_, n) => `${n}`), 'during', 'meanwhile']);
  }));

test('BRG-2a what is sent while the server is away is kept, and goes once and in order when it is back', () =>
  inWorld(async (world) => {
    const alice = await world.agent('alice');
    await using computer = await open(world);
    const bob = await computer.attach('bob');
    const send = (body: string, submissionId = body) =>
      computer.link.send(bob.attachmentId, { target: 'agent:alice', body, submissionId });
    expect(await send('first')).toMatchObject({ recipients: [{ agentName: 'alice' }] });
    const { port } = world.first.running;
    await world.first.running.close();
    await expect.poll(() => computer.link.connected).toBe(false);
    expect(computer.link.problem).toMatch(/\w+ \w+/);
    expect(await Promise.all(['a', 'b', 'c', 'b'].map((body) => send(body)))).toEqual(Array(4).fill('queued'));
    expect(computer.journal.outbox.count()).toBe(3);
    await world.start(port, world.data);
    await expect.poll(() => computer.journal.outbox.count(), { timeout: 10_000 }).toBe(0);
    expect(await mailbox(alice)).toEqual(['first', 'a', 'b', 'c']);
    expect(await send('b')).toMatchObject({ recipients: [{ agentName: 'alice' }] });
    expect(await mailbox(alice)).toEqual(['first', 'a', 'b', 'c']);
  }));

test('whoever left while the server was away still has its say, and then shows offline', () =>
  inWorld(async (world) => {
    const alice = await world.agent('alice');
    await using computer = await open(world);
    const bob = await computer.attach('bob');
    const { port } = world.first.running;
    await world.first.running.close();
    await expect.poll(() => computer.link.connected).toBe(false);
    for (const body of ['one', 'two']) await computer.link.send(bob.attachmentId, { target: 'agent:alice', body });
    computer.link.unbind(bob.attachmentId);
    await world.start(port, world.data);
    await expect.poll(() => computer.journal.outbox.count(), { timeout: 10_000 }).toBe(0);
    expect(await mailbox(alice)).toEqual(['one', 'two']);
    await expect.poll(() => presence(world, 'bob')).toBe(Presence.OFFLINE);
  }));

test('a send that the server refuses is refused here, and holds up nothing', () =>
  inWorld(async (world) => {
    await world.agent('alice');
    await using computer = await open(world);
    const bob = await computer.attach('bob');
    const send = (target: string, body: string) => computer.link.send(bob.attachmentId, { target, body });
    const [bad, half, good] = await Promise.allSettled([
      send('agent:alicia', 'x'),
      send('agent:alice', '\uD800'),
      send('agent:alice', 'good'),
    ]);
    expect(bad).toMatchObject({ reason: { reason: 'NOT_FOUND', suggestions: ['alice'] } });
    expect(half).toMatchObject({ reason: { reason: 'BAD_FIELD' } });
    expect(good.status).toBe('fulfilled');
    expect([computer.journal.outbox.count(), computer.refused]).toEqual([0, []]);
  }));

test('a lease whose name moved ends here, and what it still had to send is refused to the person', () =>
  inWorld(async (world) => {
    await world.agent('alice');
    await using computer = await open(world);
    const bob = await computer.attach('bob');
    computer.journal.outbox.add({ attachmentId: bob.attachmentId, submissionId: 's1', request: { body: 'late' } });
    await computer.attach('bob', 'another session');
    await expect.poll(() => computer.ended).toEqual([[bob.attachmentId, EndReason.MOVED]]);
    expect(computer.journal.lease(bob.attachmentId)).toBeUndefined();
    expect(computer.refused).toEqual(['late: LEASE_ENDED']);
    await expect(computer.link.send(bob.attachmentId, { target: 'agent:alice', body: 'x' })).rejects.toMatchObject({
      reason: 'LEASE_ENDED',
    });
    await expect(computer.link.claim(bob.attachmentId, ['m'], 'r', false)).rejects.toMatchObject({
      reason: 'UNAVAILABLE',
    });
  }));

test('a lease that ended while the bridge was away ends when it is taken up', () =>
  inWorld(async (world) => {
    await using computer = await open(world);
    const bob = await attached(computer.person, 'bob');
    computer.save(bob);
    await rpc.as(computer.person).attachments.detach({ attachmentId: bob.attachmentId });
    await computer.isUp();
    await expect(computer.link.bind(bob, way)).rejects.toMatchObject({ reason: 'LEASE_ENDED' });
    expect(computer.ended).toHaveLength(1);
    expect(computer.journal.leases()).toEqual([]);
  }));

test('a login that is revoked ends the link for good, with a sentence', () =>
  inWorld(async (world) => {
    await using computer = await open(world);
    const bob = await computer.attach('bob');
    const other = rpc.as(await world.person());
    await other.access.revokeConnection({ connectionId: computer.person.connectionId });
    await expect.poll(() => computer.link.connected).toBe(false);
    await expect
      .poll(() => computer.link.send(bob.attachmentId, { target: 'agent:x', body: 'x' }).catch(({ reason }) => reason))
      .toBe('SIGNED_OUT');
    expect(computer.link.problem).toMatch(/\w+ \w+ \w+/);
    expect(computer.opened.filter((state) => state === 'up')).toHaveLength(1);
  }));

test('BRG-3a.2 a cursor that the server refuses means to read again, and repeats nothing', () =>
  inWorld(async (world) => {
    const alice = rpc.as(await world.agent('alice'));
    await using computer = await open(world);
    const bob = await attached(computer.person, 'bob');
    const [first] = [await alice.messages.send({ target: 'agent:bob', body: 'first' })];
    await alice.messages.send({ target: 'agent:bob', body: 'second' });
    computer.save({ ...bob, startCursor: 'no cursor' });
    computer.journal.receive(bob.attachmentId, [delivered(first.messageId)], 'no cursor');
    await computer.isUp();
    await computer.link.bind(bob, way);
    await expect.poll(() => computer.bodies(bob)).toEqual([`body of ${first.messageId}`, 'second']);
  }));

test('an offer that was not delivered while the server was away is pending there as well', () =>
  inWorld(async (world) => {
    const alice = rpc.as(await world.agent('alice'));
    await using computer = await open(world);
    const bob = await computer.attach('bob');
    const { messageId } = await alice.messages.send({ target: 'agent:bob', body: 'hello' });
    await expect.poll(() => computer.bodies(bob)).toEqual(['hello']);
    const claim = async () => (await computer.link.claim(bob.attachmentId, [messageId], 'r', false))[0]!.outcome;
    expect(await claim()).toBe(OfferOutcome.GRANTED);
    const { port } = world.first.running;
    await world.first.running.close();
    await expect.poll(() => computer.link.connected).toBe(false);
    await expect(claim()).rejects.toMatchObject({ reason: 'UNAVAILABLE' });
    const detail = 'x'.repeat(500);
    computer.link.evidence(bob.attachmentId, { kind: EvidenceKind.NOT_DELIVERED, messageIds: [messageId], detail });
    await world.start(port, world.data);
    await expect.poll(() => claim().catch(() => undefined), { timeout: 10_000 }).toBe(OfferOutcome.GRANTED);
  }));

test('BRG-5a a session whose journal is full waits, and goes on without a gap once there is room', () =>
  inWorld(async (world) => {
    const alice = rpc.as(await world.agent('alice'));
    await using computer = await open(world);
    const bob = await computer.attach('bob');
    const eve = await computer.attach('eve');
    const filling = Array.from({ length: 1_985 }, (_, n) => delivered(`filling ${n}`));
    const { cursor } = computer.journal.lease(bob.attachmentId)!;
    computer.journal.receive(bob.attachmentId, filling, cursor);
    for (let n = 0; n < 45; n++) await alice.messages.send({ target: 'agent:bob', body: `${n}` });
    await alice.messages.send({ target: 'agent:eve', body: 'others go on' });
    await expect.poll(() => computer.bodies(eve)).toEqual(['others go on']);
    const real = () => computer.bodies(bob).filter((body) => !body.startsWith('body of'));
    const before = real();
    expect(before.length).toBeLessThan(45);
    computer.journal.drop(
      bob.attachmentId,
      filling.map(({ message }) => message!.messageId),
    );
    await world.clock.waitedFor(10_000);
    world.clock.pass(10_000);
    await expect.poll(real).toEqual(Array.from({ length: 45 }, (_, n) => `${n}`));
  }));
