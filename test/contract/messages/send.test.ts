import { expect } from 'vitest';
import { Presence } from '#gen/agentworks/agents/v1/agents_pb.ts';
import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import { Wake } from '#gen/agentworks/messages/v1/messages_pb.ts';
import { refuses } from '../../doors/door.ts';
import { proves } from '../proves.ts';

proves('MSG-1b', 'a send answers the ids of what was stored, and the reader finds it', async ({ world, door }) => {
  const alice = door.as(await world.agent('alice'));
  const bob = door.as(await world.agent('bob'));
  const sent = await alice.messages.send({ target: 'agent:bob', body: 'hello' });
  expect(sent).toMatchObject({
    inboxId: expect.stringMatching(/^inb_/),
    conversationId: expect.stringMatching(/^cnv_/),
    messageId: expect.stringMatching(/^msg_/),
  });
  const { messages } = await bob.messages.read({});
  expect(messages).toMatchObject([
    {
      messageId: sent.messageId,
      conversationId: sent.conversationId,
      fromAgent: 'alice',
      toAgent: 'bob',
      body: 'hello',
    },
  ]);
});

proves(
  'MSG-1c',
  'the answer says how the recipient can be reached, and why no push is expected',
  async ({ world, door }) => {
    const alice = door.as(await world.agent('alice'));
    const bob = door.as(await world.agent('bob'));
    await bob.messages.read({});
    const { recipients } = await alice.messages.send({ target: 'agent:bob', body: 'hello' });
    expect(recipients).toMatchObject([
      {
        agentName: 'bob',
        recipientState: Presence.MAILBOX_ONLY,
        wake: Wake.MAILBOX_ONLY,
        lastSeenTime: expect.anything(),
      },
    ]);
  },
);

proves('MSG-1d', 'the answer does not hold the body', async ({ world, door }) => {
  const alice = door.as(await world.agent('alice'));
  await world.agent('bob');
  const sent = await alice.messages.send({ target: 'agent:bob', body: 'a body one would know again' });
  expect(JSON.stringify(sent)).not.toContain('one would know again');
});

proves(
  'MSG-1e',
  'a connection that speaks by a name it may not use is refused, and nothing is stored',
  async ({ world, door }) => {
    await world.agent('alice');
    const bob = door.as(await world.agent('bob'));
    const mallory = door.as(await world.agent('mallory'));
    const forged = mallory.messages.send({ agentName: 'alice', target: 'agent:bob', body: 'send money' });
    expect(await refuses(Reason.NOT_ALLOWED, forged)).toMatchObject({ subject: 'agent_name' });
    expect((await bob.messages.read({})).messages).toEqual([]);
  },
);

proves('MSG-1e', 'the server names the sender, whatever the message says of itself', async ({ world, door }) => {
  const mallory = door.as(await world.agent('mallory'));
  const bob = door.as(await world.agent('bob'));
  await mallory.messages.send({ target: 'agent:bob', body: 'from: alice', metadata: { fromAgent: 'alice' } });
  expect((await bob.messages.read({})).messages).toMatchObject([{ fromAgent: 'mallory' }]);
});

proves('MSG-7a', 'a target is one of four forms, and anything else is refused with them', async ({ world, door }) => {
  const alice = door.as(await world.agent('alice'));
  for (const target of ['bob', 'agent:', 'agent', 'team:bob', '*']) {
    const refusal = await refuses(Reason.BAD_FIELD, alice.messages.send({ target, body: 'hello' }));
    expect(refusal).toMatchObject({ subject: 'target', sentence: expect.stringContaining('agent:NAME') });
  }
  for (const target of ['crew:builders', 'workflow:nightly'])
    await refuses(Reason.NOT_FOUND, alice.messages.send({ target, body: 'hello' }));
});

proves(
  'MSG-6a',
  'a message is answered late, several times or never, and the conversation holds what came',
  async ({ world, door }) => {
    const alice = door.as(await world.agent('alice'));
    const bob = door.as(await world.agent('bob'));
    const asked = await alice.messages.send({ target: 'agent:bob', body: 'how far are you?' });
    const silent = await alice.messages.send({ target: 'agent:bob', body: 'no answer needed' });
    const [received] = (await bob.messages.read({})).messages;
    world.clock.pass(24 * 60 * 60 * 1_000);
    for (const body of ['half way', 'nearly', 'done'])
      await bob.messages.send({ inboxId: received!.replyAddress, body });
    const answers = await alice.messages.read({ inboxId: asked.inboxId });
    expect(answers.messages.map(({ body }) => body)).toEqual(['half way', 'nearly', 'done']);
    expect((await alice.messages.read({ inboxId: silent.inboxId })).messages).toEqual([]);
  },
);
