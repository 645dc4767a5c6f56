import { expect, test } from 'vitest';
import { Presence } from '#gen/agentworks/agents/v1/agents_pb.ts';
import { AttachOrigin } from '#gen/agentworks/agents/v1/attachments_pb.ts';
import { rpc } from '../../doors/rpc.ts';
import { Computer } from '../../world/computer.ts';
import { inWorld } from '../../world/world.ts';

test('ATT-1b, ATT-1a.3 a chat is attached by what the person types in it, and its person reads what a wake means', () =>
  inWorld(async (world) => {
    const person = await world.person();
    await using computer = new Computer(person);
    const chat = await computer.chat(100);
    expect(computer.marked).toEqual([]);
    expect(await computer.types(chat, 'attach bob')).toMatch(/^Attached as bob\.\nA message starts a turn in the chat/);
    expect(computer.marked).toEqual([chat.sessionId]);
    expect(computer.notices).toEqual(['A claude chat is attached as bob.']);
    expect(computer.events).toContain('attachment.attached');
    const { agents } = await rpc.as(person).agents.list({});
    expect(agents).toMatchObject([{ name: 'bob', presence: Presence.LIVE, route: 'claude-socket' }]);
  }));

test('ATT-8c detaching ends the lease, and the name stays', () =>
  inWorld(async (world) => {
    const person = await world.person();
    await using computer = new Computer(person);
    const chat = await computer.chat(100);
    await computer.types(chat, 'attach bob');
    expect(await computer.types(chat, 'detach')).toMatch(/^Detached\./);
    expect(await computer.types(chat, 'status')).toMatch(/^This chat is not attached\./);
    expect(computer.marked).toEqual([]);
    const { agents } = await rpc.as(person).agents.list({});
    expect(agents).toMatchObject([{ name: 'bob', presence: Presence.MAILBOX_ONLY }]);
  }));

test('ATT-2d attach text that reaches the chat by any other way than its person’s typing attaches nothing', () =>
  inWorld(async (world) => {
    await using computer = new Computer(await world.person());
    const chat = await computer.chat(100);
    expect(await computer.hook(chat, 'UserPromptSubmit', { prompt: '/agentworks attach evil' })).toBeUndefined();
    const command = { command_name: 'agentworks:agentworks', command_args: 'attach evil' };
    expect(
      await computer.hook(chat, 'UserPromptExpansion', { ...command, command_source: 'projectSettings' }),
    ).toBeUndefined();
    expect((await computer.local.listSessions({})).sessions).toMatchObject([{ agentName: '' }]);
  }));

test('ATT-3a without a name a session gets a short one that is its own, and the same again', () =>
  inWorld(async (world) => {
    await using computer = new Computer(await world.person());
    const [one, two] = [await computer.chat(100), await computer.chat(200)];
    const first = await computer.types(one, 'attach');
    expect(first).toMatch(/^Attached as claude-[0-9a-f]{6}\./);
    expect(await computer.types(two, 'attach')).not.toBe(first);
    await computer.types(one, 'detach');
    expect(await computer.types(one, 'attach')).toBe(first);
  }));

test('ATT-6 the same session attached again keeps its lease', () =>
  inWorld(async (world) => {
    await using computer = new Computer(await world.person());
    const chat = await computer.chat(100);
    await computer.types(chat, 'attach bob');
    const [before] = (await computer.local.listSessions({})).sessions;
    await computer.types(chat, 'attach bob');
    const [after] = (await computer.local.listSessions({})).sessions;
    expect(after!.attachmentId).toBe(before!.attachmentId);
  }));

test('ATT-4 an agent attaches its own session, and the person’s attachment is not the agent’s to end', () =>
  inWorld(async (world) => {
    await using computer = new Computer(await world.person());
    const [one, two] = [await computer.chat(100), await computer.chat(200)];
    const asker = { provider: 'claude', pid: 100n, sessionId: one.sessionId };
    const { session } = await computer.local.attach({ agentName: 'bob', origin: AttachOrigin.OWN, asker });
    expect(session).toMatchObject({ agentName: 'bob', sessionId: one.sessionId });
    const nameless = { agentName: 'eve', origin: AttachOrigin.OWN, asker: { ...asker, sessionId: '' } };
    await expect(computer.local.attach(nameless)).rejects.toThrow('The session id is missing');
    await computer.local.detach({ asker });
    await computer.types(two, 'attach carol');
    const other = { provider: 'claude', pid: 200n, sessionId: two.sessionId };
    await expect(computer.local.detach({ asker: other })).rejects.toThrow('ask the person to detach it');
  }));

test('ATT-8a a cleared chat is another chat: the old name rests, and nothing is attached by inheritance', () =>
  inWorld(async (world) => {
    const person = await world.person();
    await using computer = new Computer(person);
    const chat = await computer.chat(100);
    await computer.types(chat, 'attach bob');
    await computer.hook(chat, 'SessionEnd', { reason: 'clear' });
    chat.sessionId = 'session-after-clear';
    computer.chats.look();
    expect(await computer.hook(chat, 'SessionStart', { source: 'clear' })).toMatchObject({
      systemMessage: expect.stringContaining('type: /agentworks attach bob'),
    });
    expect(computer.marked).not.toContain(chat.sessionId);
    expect((await computer.local.listSessions({})).sessions).toMatchObject([{ agentName: '' }]);
    expect(await computer.types(chat, 'attach')).toMatch(/^Attached as bob\./);
  }));

test('whoever follows the status hears of an attachment, and of what waits', () =>
  inWorld(async (world) => {
    await using computer = new Computer(await world.person());
    const chat = await computer.chat(100);
    chat.hasSocket = false;
    const leaving = new AbortController();
    const shown: string[] = [];
    const following = (async () => {
      for await (const { status } of computer.local.watch({}, { signal: leaving.signal }))
        shown.push((status?.sessions ?? []).map(({ agentName, waiting }) => `${agentName} ${waiting}`).join());
    })().catch(() => {});
    await computer.types(chat, 'attach bob');
    await expect.poll(() => shown.at(-1)).toBe('bob 0');
    const alice = rpc.as(await world.agent('alice'));
    await alice.messages.send({ target: 'agent:bob', body: 'hello' });
    await expect.poll(() => shown.at(-1)).toBe('bob 1');
    await computer.types(chat, 'detach');
    await expect.poll(() => shown.at(-1)).toBe('');
    leaving.abort();
    await following;
  }));
