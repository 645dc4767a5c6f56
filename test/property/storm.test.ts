import { expect, test } from 'vitest';
import type { Refusal } from '../doors/door.ts';
import { Refused } from '../doors/door.ts';
import { rpc } from '../doors/rpc.ts';
import { chance } from '../auditor/chance.ts';
import { figures } from '../auditor/figures.ts';
import { walk } from '../auditor/walk.ts';
import { inWorld } from '../world/world.ts';

const [SENDS, CONNECTIONS, ROUNDS] = [200, 20, 3];

test(
  'MSG-3g, MSG-3d of two hundred sends of one submission id with two contents one is stored; the others hear of it',
  () =>
    inWorld(async (world) => {
      const alice = await world.agent('alice');
      const bob = rpc.as(await world.agent('bob'));
      const second = await world.secondNode();
      const hands = Array.from({ length: CONNECTIONS }, (_, n) =>
        rpc.as(n % 2 === 0 ? { ...alice } : world.at(second, alice)),
      );
      const count = { sends: 0, answered: 0, conflicts: 0, messages: 0 };
      for (let round = 1; round <= ROUNDS; round++) {
        const random = chance(round);
        const bodies = Array.from({ length: SENDS }, () => `${round} ${random() < 0.7 ? 'this' : 'that'}`);
        const outcomes = await Promise.all(
          bodies.map((body, n) =>
            hands[n % CONNECTIONS]!.messages.send({ target: 'agent:bob', body, submissionId: `s${round}` }).then(
              ({ messageId, inboxId, conversationId }) => ({ body, ids: `${messageId} ${inboxId} ${conversationId}` }),
              (error: unknown) => ({ body, refusal: refusalOf(error) }),
            ),
          ),
        );
        const answered = outcomes.filter((outcome) => 'ids' in outcome);
        const refused = outcomes.filter((outcome) => 'refusal' in outcome);
        const stored = (await walk(bob.messages.read, {})).filter(({ body }) => body.startsWith(`${round} `));
        expect(stored).toHaveLength(1);
        const [{ messageId, body }] = stored as [(typeof stored)[number]];
        expect(new Set(answered.map(({ ids }) => ids)).size).toBe(1);
        expect(answered[0]!.ids).toContain(messageId);
        expect(answered.every((outcome) => outcome.body === body)).toBe(true);
        expect(answered).toHaveLength(bodies.filter((other) => other === body).length);
        for (const { refusal } of refused)
          expect(refusal).toMatchObject({ reason: 'SUBMISSION_CONFLICT', subject: messageId });
        count.sends += SENDS;
        count.answered += answered.length;
        count.conflicts += refused.length;
        count.messages += stored.length;
      }
      figures('storm', { connections: CONNECTIONS, servers: 2, ...count });
    }),
  60_000,
);

function refusalOf(error: unknown): Refusal {
  if (error instanceof Refused) return error.refusal;
  throw error;
}
