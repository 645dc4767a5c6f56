import { expect, test } from 'vitest';
import { AttachOrigin } from '#gen/agentworks/agents/v1/attachments_pb.ts';
import { Computer } from '../../world/computer.ts';
import { inWorld } from '../../world/world.ts';

test('ATT-4d an agent’s own attach of a chat that its person attached renames nothing, and makes it no more the agent’s to end', () =>
  inWorld(async (world) => {
    await using computer = new Computer(await world.person());
    const chat = await computer.chat(100);
    await computer.types(chat, 'attach bob');
    const asker = { provider: 'claude', pid: 100n, sessionId: chat.sessionId };
    const own = (agentName: string) => computer.local.attach({ agentName, origin: AttachOrigin.OWN, asker });
    await expect(own('carol')).rejects.toThrow('does not rename it');
    expect((await own('')).session).toMatchObject({ agentName: 'bob' });
    expect((await own('bob')).session).toMatchObject({ agentName: 'bob' });
    await expect(computer.local.detach({ asker })).rejects.toThrow('ask the person to detach it');
    expect((await computer.local.listSessions({})).sessions).toMatchObject([{ agentName: 'bob' }]);
  }));

test('ATT-1c, ATT-5b a person attaches a chat from the list of live ones; one that is gone cannot be chosen any more', () =>
  inWorld(async (world) => {
    await using computer = new Computer(await world.person());
    const [one, two] = [await computer.chat(100), await computer.chat(200)];
    const listed = (await computer.local.listSessions({})).sessions;
    expect(listed).toHaveLength(2);
    two.isAlive = false;
    expect((await computer.local.listSessions({})).sessions).toMatchObject([{ sessionId: one.sessionId }]);
    const choose = (sessionKey: string) => computer.local.attach({ origin: AttachOrigin.TERMINAL, sessionKey });
    const keyOf = (id: string) => listed.find(({ sessionId }) => sessionId === id)!.sessionKey;
    expect((await choose(keyOf(one.sessionId))).session).toMatchObject({ sessionId: one.sessionId });
    await expect(choose(keyOf(two.sessionId))).rejects.toThrow('no longer there');
  }));
