import { expect, test } from 'vitest';
import { Presence } from '#gen/agentworks/agents/v1/agents_pb.ts';
import { Acknowledgement, AttachOrigin } from '#gen/agentworks/agents/v1/attachments_pb.ts';
import { ReceiptEventKind, ReceiptState } from '#gen/agentworks/messages/v1/messages_pb.ts';
import { rpc } from '../../doors/rpc.ts';
import { Computer } from '../../world/computer.ts';
import { inWorld, type World } from '../../world/world.ts';

/** A chat attached as bob, and alice who writes to it. */
async function scene(world: World) {
  const person = await world.person();
  const computer = new Computer(person);
  const chat = await computer.chat(100);
  expect(await computer.types(chat, 'attach bob')).toMatch(/^Attached as bob/);
  const alice = rpc.as(await world.agent('alice'));
  const asker = { provider: 'claude', pid: 100n, sessionId: chat.sessionId };
  const isAway = () => expect.poll(async () => (await computer.local.getStatus({})).status!.connected).toBe(false);
  return { person, computer, chat, alice, asker, isAway };
}

test('BRG-2b an acknowledgement made while the server is away is kept, also by a bridge that ends meanwhile, and told once', () =>
  inWorld(async (world) => {
    const { computer, chat, alice, asker, isAway } = await scene(world);
    await using _ = computer;
    const { messageId } = await alice.messages.send({ target: 'agent:bob', body: 'hello' });
    await chat.heard(1);
    const acknowledge = (acknowledgement: Acknowledgement) =>
      computer.local.acknowledge({ asker, messageIds: [messageId], acknowledgement });
    await world.whileAway(async () => {
      await isAway();
      expect(await acknowledge(Acknowledgement.ADMITTED)).toMatchObject({ kept: true });
      await computer.stop();
      computer.start();
      expect(await acknowledge(Acknowledgement.PROCESSED)).toMatchObject({ kept: true });
    });
    const receipt = async () => (await alice.messages.getReceipts({ messageId })).receipts[0]!;
    await expect.poll(async () => (await receipt()).state, { timeout: 10_000 }).toBe(ReceiptState.PROCESSED);
    const states: ReceiptEventKind[] = [ReceiptEventKind.ADMITTED, ReceiptEventKind.PROCESSED];
    const kinds = (await receipt()).events.map(({ kind }) => kind).filter((kind) => states.includes(kind));
    expect(kinds).toEqual(states);
  }));

test('BRG-2b when the attachment ends before the server is back, the agent is told what was not', () =>
  inWorld(async (world) => {
    const { person, computer, chat, alice, asker, isAway } = await scene(world);
    await using _ = computer;
    const { messageId } = await alice.messages.send({ target: 'agent:bob', body: 'hello' });
    await chat.heard(1);
    await world.whileAway(async () => {
      await isAway();
      await computer.local.acknowledge({ asker, messageIds: [messageId], acknowledgement: Acknowledgement.ADMITTED });
      await computer.stop();
    });
    // Meanwhile the person attached the name elsewhere.
    await rpc.as(person).attachments.attach({
      agentName: 'bob',
      sessionId: 'elsewhere',
      provider: 'claude',
      process: { pid: 1n, startTime: '1', bootId: 'other' },
      origin: AttachOrigin.CHAT,
      folder: '/',
      computer: 'laptop',
    });
    computer.start();
    const acknowledge = () =>
      computer.local.acknowledge({ asker, messageIds: [messageId], acknowledgement: Acknowledgement.PROCESSED });
    await expect
      .poll(() => acknowledge().then(String, ({ message }: Error) => message), { timeout: 10_000 })
      .toContain(`the acknowledgement of ${messageId} was not told`);
    expect((await alice.messages.getReceipts({ messageId })).receipts[0]!.state).toBe(ReceiptState.STORED);
    // Attached again, the chat reads it once beside its next prompt.
    expect(await computer.types(chat, 'attach bob')).toMatch(/^Attached/);
    const prompted = () => computer.hook(chat, 'UserPromptSubmit', { prompt: 'go on' });
    expect(JSON.stringify(await prompted())).toContain(`the acknowledgement of ${messageId} was not told`);
    expect(JSON.stringify(await prompted()) ?? '').not.toContain('was not told');
  }));

test('ATT-8d detaching while the server is away stops delivery at once, is told to the person, and to the server when it is back', () =>
  inWorld(async (world) => {
    const { person, computer, chat, alice, isAway } = await scene(world);
    await using _ = computer;
    await world.whileAway(async () => {
      await isAway();
      expect(await computer.types(chat, 'detach')).toMatch(/^Detached\..* the server is away, and hears of it/);
      expect(await computer.types(chat, 'status')).toMatch(/^This chat is not attached\./);
      await computer.stop();
    });
    await alice.messages.send({ target: 'agent:bob', body: 'too late' });
    computer.start();
    const presence = async () => (await rpc.as(person).agents.get({ agentName: 'bob' })).agent!.presence;
    await expect.poll(presence, { timeout: 10_000 }).toBe(Presence.MAILBOX_ONLY);
    expect(chat.frames).toEqual([]);
    expect(await computer.types(chat, 'attach bob')).toMatch(/^Attached as bob/);
    expect(await chat.heard(1)).toEqual([expect.stringContaining('| too late')]);
  }));
