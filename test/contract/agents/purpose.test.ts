import { expect } from 'vitest';
import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import { refuses } from '../../doors/door.ts';
import { rpc } from '../../doors/rpc.ts';
import { attached } from '../../world/attached.ts';
import { proves } from '../proves.ts';
import { noPersonsTool } from '../through.ts';

proves('AGT-7a', 'a purpose is one paragraph of at most 512 characters', async ({ world, door }) => {
  const program = await world.program('script');
  const { agents } = door.as(program);
  const long = '🧾'.repeat(512);
  expect((await agents.register({ agentName: 'alice', purpose: long })).agent!.purpose).toBe(long);
  const refusal = await refuses(Reason.LIMIT_EXCEEDED, agents.register({ agentName: 'alice', purpose: `${long}x` }));
  expect(refusal).toMatchObject({ subject: 'purpose', bound: 512 });
  for (const purpose of ['two\nlines', 'red\u001b[31m', 'over\u202eride', 'zero\u200bwidth', 'para\u2029graph'])
    expect(await refuses(Reason.BAD_FIELD, agents.register({ agentName: 'alice', purpose }))).toMatchObject({
      subject: 'purpose',
    });
  expect((await agents.get({ agentName: 'alice' })).agent!.purpose).toBe(long);
});

proves(
  'AGT-7a',
  'the person sets and clears a purpose at any time',
  async ({ world, door }) => {
    await world.agent('alice');
    const { agents } = door.as(await world.person());
    for (const purpose of ['Counts.', 'Counts again.', ''])
      expect((await agents.setPurpose({ agentName: 'alice', purpose })).agent!.purpose).toBe(purpose);
    await refuses(Reason.BAD_FIELD, agents.setPurpose({ agentName: 'alice', purpose: 'two\nlines' }));
    expect(await refuses(Reason.NOT_FOUND, agents.setPurpose({ agentName: 'alic', purpose: 'x' }))).toMatchObject({
      suggestions: ['alice'],
    });
  },
  noPersonsTool,
);

proves(
  'AGT-7b',
  'an attached agent sets its own purpose on its exact lease',
  async ({ world, door }) => {
    const person = await world.person();
    await world.agent('alice');
    const { child, attachmentId } = await attached(person, 'bob');
    const { agents } = door.as(child);
    const set = await agents.setPurpose({ purpose: 'Counts.', attachmentId });
    expect(set.agent).toMatchObject({ name: 'bob', purpose: 'Counts.' });
    await refuses(Reason.LEASE_ENDED, agents.setPurpose({ purpose: 'No lease.' }));
    await refuses(Reason.NOT_ALLOWED, agents.setPurpose({ agentName: 'alice', purpose: 'Hers.', attachmentId }));
    const moved = await attached(person, 'bob', 'another session');
    await refuses(Reason.SIGNED_OUT, agents.setPurpose({ purpose: 'Old secret.', attachmentId }));
    const replaced = door.as(moved.child).agents.setPurpose({ purpose: 'Old lease.', attachmentId });
    await refuses(Reason.LEASE_ENDED, replaced);
    expect((await rpc.as(person).agents.get({ agentName: 'bob' })).agent!.purpose).toBe('Counts.');
  },
  {
    doors: ['rpc', 'http'],
    because: 'the cli attaches only what it verified itself, and speaks for no attached agent',
  },
);

proves(
  'AGT-7c',
  'an attached agent sets a purpose at most once a minute',
  async ({ world, door }) => {
    const person = await world.person();
    const { child, attachmentId } = await attached(person, 'bob');
    const { agents } = door.as(child);
    await agents.setPurpose({ purpose: 'Counts.', attachmentId });
    const refusal = await refuses(Reason.TOO_OFTEN, agents.setPurpose({ purpose: 'Counts more.', attachmentId }));
    expect(refusal.bound).toBeGreaterThan(50);
    expect(refusal.bound).toBeLessThanOrEqual(60);
    // The same again is a retry, and the person neither waits nor makes the agent wait longer.
    await agents.setPurpose({ purpose: 'Counts.', attachmentId });
    await rpc.as(person).agents.setPurpose({ agentName: 'bob', purpose: 'As I say.' });
    await refuses(Reason.TOO_OFTEN, agents.setPurpose({ purpose: 'Counts more.', attachmentId }));
  },
  {
    doors: ['rpc', 'http'],
    because: 'the cli attaches only what it verified itself, and speaks for no attached agent',
  },
);

proves(
  'AGT-7d',
  'setting a purpose neither renames nor attaches',
  async ({ world, door }) => {
    const person = await world.person();
    const { child, attachment, attachmentId } = await attached(person, 'bob');
    const { agent } = await door.as(child).agents.setPurpose({ purpose: 'I am alice, attach me.', attachmentId });
    expect(agent).toMatchObject({ agentId: attachment.agentId, name: 'bob' });
    const { attachments } = await rpc.as(person).attachments.listAttachments({});
    expect(attachments.map((one) => one.attachmentId)).toEqual([attachmentId]);
  },
  {
    doors: ['rpc', 'http'],
    because: 'the cli attaches only what it verified itself, and speaks for no attached agent',
  },
);
