import { expect, test } from 'vitest';
import { Acknowledgement } from '#gen/agentworks/agents/v1/attachments_pb.ts';
import { Activity } from '#gen/agentworks/bridge/v1/local_pb.ts';
import { ReceiptEventKind, ReceiptState, StandingReason } from '#gen/agentworks/messages/v1/messages_pb.ts';
import { rpc } from '../../doors/rpc.ts';
import { Computer } from '../../world/computer.ts';
import { inWorld, type World } from '../../world/world.ts';

/** A chat attached as bob, and alice who writes to it. */
async function scene(world: World) {
  const computer = new Computer(await world.person());
  const chat = await computer.chat(100);
  await computer.types(chat, 'attach bob');
  const alice = rpc.as(await world.agent('alice'));
  const send = (body: string, noWake = false) => alice.messages.send({ target: 'agent:bob', body, noWake });
  const asker = { provider: 'claude', pid: 100n, sessionId: chat.sessionId };
  const eventsOf = async (messageId: string) =>
    (await alice.messages.getReceipts({ messageId })).receipts[0]!.events.map(({ kind }) => kind);
  return { computer, chat, alice, send, asker, eventsOf };
}

const contextOf = (output: Record<string, unknown> | undefined): string =>
  String((output?.['hookSpecificOutput'] as { additionalContext?: string } | undefined)?.additionalContext);

test('RTE-1 a message wakes the exact session by its socket, once', () =>
  inWorld(async (world) => {
    const { computer, chat, send } = await scene(world);
    await using _ = computer;
    const { messageId } = await send('the build is green');
    const [text] = await chat.heard(1);
    expect(text).toContain(`message_id: ${messageId}`);
    expect(text).toContain('| the build is green');
    await computer.hook(chat, 'UserPromptSubmit', { prompt: text });
    expect(await computer.hook(chat, 'Stop', { stop_hook_active: false })).toBeUndefined();
    expect(chat.frames).toHaveLength(1);
  }));

test('what waited while nobody was attached comes oldest first, many in one turn', () =>
  inWorld(async (world) => {
    const { computer, chat, send } = await scene(world);
    await using _ = computer;
    await computer.types(chat, 'detach');
    for (const body of ['one', 'two', 'three']) await send(body);
    await computer.types(chat, 'attach bob');
    const [text] = await chat.heard(1);
    expect(text!.match(/^\| (one|two|three)$/gm)).toEqual(['| one', '| two', '| three']);
  }));

test('the agent’s acknowledgement and its answer reach the sender', () =>
  inWorld(async (world) => {
    const { computer, chat, alice, send, asker } = await scene(world);
    await using _ = computer;
    const { messageId, inboxId } = await send('ready?');
    const [text] = await chat.heard(1);
    const replyTo = /^inbox_id: (\S+)$/m.exec(text!)![1]!;
    await computer.local.acknowledge({ asker, messageIds: [messageId], acknowledgement: Acknowledgement.ADMITTED });
    const { sent } = await computer.local.send({ asker, request: { inboxId: replyTo, body: 'ready' } });
    expect(sent?.recipients).toMatchObject([{ agentName: 'alice' }]);
    expect((await alice.messages.read({ inboxId })).messages).toMatchObject([{ body: 'ready', fromAgent: 'bob' }]);
    const [receipt] = (await alice.messages.getReceipts({ messageId })).receipts;
    expect(receipt!.state).toBe(ReceiptState.ADMITTED);
  }));

test('RTE-8d a chat without the socket gets everything at the end of its turn in one follow-up, once, and its person a notice', () =>
  inWorld(async (world) => {
    const { computer, chat, send } = await scene(world);
    await using _ = computer;
    chat.hasSocket = false;
    chat.activity = Activity.IDLE;
    computer.chats.look();
    await send('one');
    const { messageId } = await send('two');
    await expect.poll(() => computer.waiting(chat)).toBe(2);
    expect(await computer.hook(chat, 'Stop', { stop_hook_active: true })).toBeUndefined();
    const told = contextOf(await computer.hook(chat, 'Stop', { stop_hook_active: false }));
    expect(told.match(/^\| (one|two)$/gm)).toEqual(['| one', '| two']);
    expect(told).toContain(messageId);
    expect(chat.frames).toEqual([]);
    expect(computer.notices.filter((text) => text.includes('until its next turn'))).toHaveLength(1);
  }));

test('a message that must wake nobody comes at the end of the turn', () =>
  inWorld(async (world) => {
    const { computer, chat, send } = await scene(world);
    await using _ = computer;
    await send('for your information', true);
    await expect.poll(() => computer.waiting(chat)).toBe(1);
    expect(contextOf(await computer.hook(chat, 'Stop', {}))).toContain('| for your information');
    expect(chat.frames).toEqual([]);
  }));

test('RTE-1b in a mode where the host would hold what is pushed, its person is told, and messages come at the turn’s end', () =>
  inWorld(async (world) => {
    const { computer, chat, send } = await scene(world);
    await using _ = computer;
    const mode = { permission_mode: 'bypassPermissions' };
    expect(await computer.types(chat, 'attach bob', mode)).toContain('Claude Code holds pushed messages');
    await send('hello');
    await expect.poll(() => computer.waiting(chat)).toBe(1);
    expect(contextOf(await computer.hook(chat, 'Stop', mode))).toContain('| hello');
    expect(chat.frames).toEqual([]);
  }));

test('RCP-6a, RCP-6b, RCP-6c what a host takes and never shows is not offered again; agent and person are told once, without the bodies', () =>
  inWorld(async (world) => {
    const { computer, chat, send, eventsOf } = await scene(world);
    await using _ = computer;
    const seen = await send('seen');
    const [text] = await chat.heard(1);
    await computer.hook(chat, 'UserPromptSubmit', { prompt: text });
    const lost = await send('lost');
    await chat.heard(2);
    const told = contextOf(await computer.hook(chat, 'UserPromptSubmit', { prompt: 'good morning' }));
    expect(told).toContain(lost.messageId);
    expect(told).not.toContain(seen.messageId);
    expect(told).not.toContain('| lost');
    expect(contextOf(await computer.hook(chat, 'UserPromptSubmit', { prompt: 'and again' }))).toBe('undefined');
    expect(chat.frames).toHaveLength(2);
    expect(computer.notices.filter((notice) => notice.includes('did not acknowledge'))).toHaveLength(1);
    await expect.poll(() => eventsOf(seen.messageId)).toContain(ReceiptEventKind.EVIDENCE);
    expect(await eventsOf(lost.messageId)).not.toContain(ReceiptEventKind.EVIDENCE);
  }));

test('BRG-7a, RTE-10b a push that surely failed waits again, and is told with its guidance at the end of the turn', () =>
  inWorld(async (world) => {
    const { computer, chat, send, eventsOf } = await scene(world);
    await using _ = computer;
    await chat.close();
    const { messageId } = await send('hello');
    await expect.poll(() => computer.events).toContain('offer.failed');
    const told = contextOf(await computer.hook(chat, 'Stop', {}));
    expect(told).toContain('| hello');
    expect(told).toContain('How to deal with messages of other agents:');
    const events = await eventsOf(messageId);
    expect(events.filter((kind) => kind === ReceiptEventKind.OFFERED)).toHaveLength(2);
  }));

test('BRG-7b a push that may have arrived is never made again', () =>
  inWorld(async (world) => {
    const { computer, chat, send } = await scene(world);
    await using _ = computer;
    chat.isBroken = true;
    const { messageId } = await send('hello');
    await expect.poll(() => computer.events).toContain('offer.ambiguous');
    chat.isBroken = false;
    const told = contextOf(await computer.hook(chat, 'Stop', {}));
    expect(told).toContain(`[AgentWorks reminder] A message was sent to this chat and not acknowledged: ${messageId}`);
    expect(chat.frames).toEqual([]);
  }));

test('RTE-10a, ATT-10b guidance and setup come with the first offer, and guidance again after a day', () =>
  inWorld(async (world) => {
    const { computer, chat, send } = await scene(world);
    await using _ = computer;
    await send('one');
    await chat.heard(1);
    await computer.stop();
    computer.start();
    await send('two');
    await chat.heard(2);
    computer.pass(24 * 60 * 60 * 1000);
    await send('three');
    const texts = await chat.heard(3);
    expect(texts.map((text) => text.includes('How to deal with messages'))).toEqual([true, false, true]);
    expect(texts.map((text) => text.includes('attached this chat as agent "bob"'))).toEqual([true, false, false]);
    expect(texts[0]).toContain('| alice (mailbox only)');
  }));

test('BRG-4 what was offered before a restart of the bridge is not offered after it, and what came meanwhile is', () =>
  inWorld(async (world) => {
    const { computer, chat, send } = await scene(world);
    await using _ = computer;
    await send('before');
    await chat.heard(1);
    await computer.stop();
    await send('meanwhile');
    computer.start();
    const texts = await chat.heard(2);
    expect(texts.filter((text) => text.includes('| before'))).toHaveLength(1);
    expect(texts[1]).toContain('| meanwhile');
  }));

test('ATT-12b a session whose process is another one is not taken up again', () =>
  inWorld(async (world) => {
    const { computer, chat, send } = await scene(world);
    await using _ = computer;
    await computer.stop();
    chat.isAlive = false;
    const resumed = await computer.chat(101);
    resumed.sessionId = chat.sessionId;
    computer.start();
    await send('hello');
    expect((await computer.local.listSessions({})).sessions).toMatchObject([{ agentName: '' }]);
    expect(await computer.hook(resumed, 'SessionStart', { source: 'resume' })).toMatchObject({
      systemMessage: expect.stringContaining('was attached as bob'),
    });
    expect(await computer.types(resumed, 'attach')).toMatch(/^Attached as bob\./);
    expect((await resumed.heard(1))[0]).toContain('| hello');
  }));

test('a message that its host holds is held for its sender too, and the next one comes at the end of the turn', () =>
  inWorld(async (world) => {
    const { computer, chat, alice, send, eventsOf } = await scene(world);
    await using _ = computer;
    chat.isHolding = true;
    const { messageId } = await send('first');
    const standing = async () => (await alice.messages.getReceipts({ messageId })).receipts[0]!.reason;
    await expect.poll(standing).toBe(StandingReason.HELD_BY_HOST);
    expect(computer.notices.at(-1)).toBe('A message for bob is held in its chat, until you let it in there.');
    await send('second');
    await expect.poll(() => computer.waiting(chat)).toBe(1);
    const told = contextOf(await computer.hook(chat, 'Stop', {}));
    expect(told).toContain('| second');
    expect(told).not.toContain('| first');
    chat.letIn();
    await expect.poll(() => eventsOf(messageId)).toContain(ReceiptEventKind.EVIDENCE);
    chat.isHolding = false;
    await send('third');
    expect((await chat.heard(2))[1]).toContain('| third');
  }));

test('RTE-8 a hook that runs twice at once delivers once', () =>
  inWorld(async (world) => {
    const { computer, chat, send } = await scene(world);
    await using _ = computer;
    chat.hasSocket = false;
    await send('hello');
    await expect.poll(() => computer.waiting(chat)).toBe(1);
    const said = await Promise.all([computer.hook(chat, 'Stop', {}), computer.hook(chat, 'Stop', {})]);
    expect(said.filter((output) => contextOf(output).includes('| hello'))).toHaveLength(1);
  }));

test('RTE-8 what is no hook of an attached chat is answered with nothing', () =>
  inWorld(async (world) => {
    const { computer, chat, send } = await scene(world);
    await using _ = computer;
    chat.hasSocket = false;
    await send('hello');
    await expect.poll(() => computer.waiting(chat)).toBe(1);
    expect(await computer.hook(chat, 'Stop', { agent_id: 'a subagent' })).toBeUndefined();
    expect(await computer.hook(chat, 'Stop', { cursor_version: '1.7' })).toBeUndefined();
    expect(await computer.hook(chat, 'Stop', { session_id: 'another' })).toBeUndefined();
    expect(await computer.hook(chat, 'PreToolUse', {})).toBeUndefined();
    expect(contextOf(await computer.hook(chat, 'Stop', {}))).toContain('| hello');
  }));

test('RCP-5 a push of an attachment that has ended goes no further than the hook', () =>
  inWorld(async (world) => {
    const { computer, chat, send } = await scene(world);
    await using _ = computer;
    await send('hello');
    const [text] = await chat.heard(1);
    await computer.types(chat, 'detach');
    await computer.types(chat, 'attach bob');
    expect(await computer.hook(chat, 'UserPromptSubmit', { prompt: text })).toMatchObject({ decision: 'block' });
  }));

test('MSG-17 what the wake guard will not let wake the chat comes at the end of its turn, and is asked for once', () =>
  inWorld(
    async (world) => {
      const { computer, chat, send } = await scene(world);
      await using _ = computer;
      await send('first');
      await chat.heard(1);
      const { messageId } = await send('second');
      await expect.poll(() => computer.refusedWakes).toEqual([messageId]);
      expect(contextOf(await computer.hook(chat, 'Stop', {}))).toContain('| second');
      expect(chat.frames).toHaveLength(1);
    },
    { AGENTWORKS_WAKES_PER_PAIR: '1' },
  ));

test('many messages that must wake nobody do not hold up one that may', () =>
  inWorld(async (world) => {
    const { computer, chat, send } = await scene(world);
    await using _ = computer;
    for (let n = 0; n < 21; n++) await send(`note ${n}`, true);
    await send('urgent');
    expect((await chat.heard(1))[0]).toContain('| urgent');
    expect(contextOf(await computer.hook(chat, 'Stop', {}))).toContain('| note 0');
  }));
