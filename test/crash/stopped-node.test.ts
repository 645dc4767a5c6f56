import { expect, test } from 'vitest';
import { Refused } from '../doors/door.ts';
import { rpc } from '../doors/rpc.ts';
import { judge } from '../auditor/figures.ts';
import { inScene } from './scene.ts';

const saying = (body: string) => ({ sender: 'alice', submissionId: body.replaceAll(' ', '-'), body });

test('ACC-2d, RCP-5a a server that was stopped past its lease releases nothing when it goes on', () =>
  inScene({}, async (scene) => {
    const [alice, bob] = [await scene.agent('alice'), await scene.agent('bob')];
    const second = await scene.secondNode();
    const at = <P extends object>(person: P) => ({ ...person, server: second.url });
    const say = async (hands: typeof alice, body: string) => {
      const said = saying(body);
      const { recipients } = await rpc
        .as(hands)
        .messages.send({ target: 'agent:bob', body, submissionId: said.submissionId });
      scene.ledger.answered(
        said,
        recipients.map(({ agentName: to, messageId }) => ({ to, messageId })),
      );
    };
    for (const body of ['before', 'in flight', 'after the revocation']) scene.ledger.says(saying(body));
    await say(alice, 'before');
    const watch = rpc.as(bob).messages.watchMailbox({});
    expect((await watch.next()).messages).toHaveLength(1);
    const waiting = rpc
      .as({ ...bob })
      .messages.read({ after: (await rpc.as(bob).messages.read({})).nextCursor, waitSeconds: 25 });

    const { server } = scene;
    server.child.kill('SIGSTOP');
    const inFlight = say({ ...alice }, 'in flight').catch((error: unknown) => error);
    const begun = performance.now();
    await rpc.as(at(scene.owner)).access.revokeConnection({ connectionId: bob.connectionId });
    const revoked = Math.round(performance.now() - begun);
    await say(at(alice), 'after the revocation');
    server.child.kill('SIGCONT');

    const { refusal, last } = await watch.ended();
    expect(['SIGNED_OUT', 'UNAVAILABLE']).toContain(refusal.reason);
    const released = last.flatMap(({ messages }) => messages);
    const read = await waiting.then(
      ({ messages }) => messages,
      (error: unknown) => {
        if (!(error instanceof Refused)) throw error;
        return [];
      },
    );
    released.push(...read);
    await inFlight;
    await say(at(alice), 'in flight');
    expect(released.map(({ body }) => body)).toEqual([]);

    // The revoked connection reads no more; the person gives the name to another.
    const reader = await scene.account.program('reader');
    const allowedConnectionIds = { values: [reader.connectionId] };
    await rpc.as(scene.owner).agents.register({ agentName: 'bob', allowedConnectionIds });
    scene.agents.splice(1, 1, { ...reader, agentName: 'bob', agentId: bob.agentId });
    judge('stopped past its lease', { stops: 1, revoke_ms: revoked, released: released.length }, await scene.audit());
  }));
