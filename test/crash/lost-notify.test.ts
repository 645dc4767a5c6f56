import { setTimeout as later } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { connect } from '../../bridge/client/index.ts';
import type { Agent } from '../world/people.ts';
import { deafen } from '../world/bare-node.ts';
import { figures } from '../auditor/figures.ts';
import { seeds } from '../auditor/chance.ts';
import { inScene } from './scene.ts';

/** A wake that is lost is made up for by the next look, every 5 s; the rest is what a look takes. */
const REPAIR_MS = 5_000 + 1_500;

const open = (agent: Agent, address: string) => connect({ address, secret: agent.secret, plaintext: true });

/** Follows bob's mailbox at one server; answers when a body comes. */
async function watchAt(agent: Agent, address: string) {
  const client = open(agent, address);
  const stop = new AbortController();
  const came = new Map<string, { resolve: () => void; promise: Promise<void> }>();
  const coming = (body: string) => {
    const known = came.get(body) ?? Promise.withResolvers<void>();
    came.set(body, known);
    return known;
  };
  const begun = coming('');
  const done = (async () => {
    for await (const { messages } of client.watchMailbox('bob', { signal: stop.signal })) {
      begun.resolve();
      for (const { body } of messages) coming(body).resolve();
    }
  })();
  await begun.promise;
  return {
    /** Whether it came, however late it may be while it still says something. */
    comes: (body: string) => Promise.race([coming(body).promise, later(3 * REPAIR_MS)]),
    close: async () => {
      stop.abort();
      await done;
      client.close();
    },
  };
}

test('a reader at another server gets a message whose server died between commit and NOTIFY', () =>
  inScene({}, async (scene) => {
    const [alice, bob] = [await scene.agent('alice'), await scene.agent('bob')];
    const waits: number[] = [];
    const second = await scene.secondNode();
    const watching = await watchAt(bob, second.url);
    for (let n = 1; n <= Math.min(seeds, 5); n++) {
      const dying = await scene.restart({ name: n % 2 === 0 ? 'send.answered' : 'batch.committed', passing: 1 });
      const sender = open(alice, scene.url);
      const begun = performance.now();
      const sent = sender.messages.send({
        target: 'agent:bob',
        agentName: 'alice',
        body: `${n}`,
        submissionId: `s${n}`,
      });
      await sent.catch(() => {});
      expect(await dying.ended).toBe('SIGKILL');
      await watching.comes(`${n}`);
      waits.push(Math.round(performance.now() - begun));
      sender.close();
    }
    await watching.close();
    const worst = Math.max(...waits);
    figures('died before NOTIFY', { kills: waits.length, delivered: waits.length, worst_ms: worst });
    expect(worst).toBeLessThan(REPAIR_MS);
  }));

test('a reader gets a message that was announced while its server could not hear', () =>
  inScene({}, async (scene) => {
    const [alice, bob] = [await scene.agent('alice'), await scene.agent('bob')];
    const second = await scene.secondNode();
    const watching = await watchAt(bob, second.url);
    const sender = open(alice, scene.url);
    const waits: number[] = [];
    let cut = 0;
    for (let n = 1; n <= 5 * seeds; n++) {
      const deafened = deafen(scene.where!);
      const begun = performance.now();
      await sender.messages.send({ target: 'agent:bob', agentName: 'alice', body: `${n}` });
      await watching.comes(`${n}`);
      waits.push(Math.round(performance.now() - begun));
      cut += (await deafened).length;
    }
    await watching.close();
    sender.close();
    const worst = Math.max(...waits);
    figures('LISTEN cut', { cuts: cut, sent: waits.length, delivered: waits.length, worst_ms: worst });
    expect(cut).toBeGreaterThanOrEqual(waits.length);
    expect(worst).toBeLessThan(REPAIR_MS);
  }));
