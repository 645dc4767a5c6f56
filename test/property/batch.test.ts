import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Where } from '../../server/core/database.ts';
import { Batcher } from '../../server/messages/batcher.ts';
import type { Verdict } from '../../server/messages/store/submissions.ts';
import type { Submission } from '../../server/messages/submission.ts';
import { figures } from '../auditor/figures.ts';
import { bareNode, type BareNode } from '../world/bare-node.ts';
import { dropDatabase, newDatabase } from '../world/database.ts';
import { expected, Ground, type Wish, wishes } from './ground.ts';

type Outcome = 'stored' | 'failed' | NonNullable<Verdict['refusal']>;

/** What may become of it beside others on two servers: one that equals another may lose before its fault can show. */
function possible(wish: Wish): Outcome[] {
  if (wish.poison.startsWith('nul')) return ['failed'];
  const refusal = expected(wish);
  if (refusal !== null) return [refusal];
  return [wish.poison === 'none' ? 'stored' : 'failed', ...(wish.key === null ? [] : (['lost'] as const))];
}

const outcomeOf = (settled: PromiseSettledResult<Verdict>): Outcome =>
  settled.status === 'rejected' ? 'failed' : (settled.value.refusal ?? 'stored');

let where: Where;
let nodes: BareNode[];
const count = { batches: 0, submissions: 0, stored: 0, refused: 0, lost: 0, failed: 0 };

beforeAll(async () => {
  where = await newDatabase();
  nodes = [await bareNode(where), await bareNode(where)];
});
afterAll(async () => {
  for (const node of nodes) await node.close();
  await dropDatabase(where);
  figures('batch', count);
});

const batcher = (node: BareNode) => new Batcher({ ...node, hops: 8, hasRoom: () => true });

/** Nothing but what was stored is there, under numbers without a gap. */
async function checkMailboxes(ground: Ground, stored: readonly Submission[]): Promise<void> {
  for (const name of ['bob', 'carol', 'gone']) {
    const rows = await ground.mailbox(name);
    const copies = stored.flatMap(({ body, copies: all }) =>
      all.filter(({ toMailboxId }) => toMailboxId === ground.id(name)).map(({ messageId: id }) => ({ id, body })),
    );
    expect(rows.map(({ id, body }) => `${id} ${body}`).toSorted()).toEqual(
      copies.map(({ id, body }) => `${id} ${body}`).toSorted(),
    );
    expect(rows.map(({ seq }) => seq)).toEqual(rows.map((_, at) => at + 1));
  }
}

function tally(outcomes: readonly Outcome[]): void {
  count.batches++;
  count.submissions += outcomes.length;
  for (const outcome of outcomes)
    if (outcome === 'stored' || outcome === 'lost' || outcome === 'failed') count[outcome]++;
    else count.refused++;
}

test('MSG-3h each submission of a batch gets what it would have got alone, in the order given', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(wishes, { minLength: 1, maxLength: 30 }), async (wanted) => {
      const ground = new Ground(nodes[0]!);
      await ground.prepare();
      const submissions = wanted.map((wish, n) => ground.submission(wish, n));
      const one = batcher(nodes[0]!);
      const outcomes = (await Promise.allSettled(submissions.map((submission) => one.store(submission)))).map(
        outcomeOf,
      );
      tally(outcomes);
      const used = new Set<string>();
      const alone = wanted.map((wish): Outcome => {
        const refusal = expected(wish);
        // Data that no jsonb can hold breaks the statement before it judges anyone; the rest only where it is stored.
        if (wish.poison.startsWith('nul')) return 'failed';
        if (refusal !== null) return refusal;
        if (wish.key !== null && used.has(wish.key)) return 'lost';
        if (wish.poison !== 'none') return 'failed';
        if (wish.key !== null) used.add(wish.key);
        return 'stored';
      });
      expect(outcomes).toEqual(alone);
      const stored = submissions.filter((_, n) => outcomes[n] === 'stored');
      await checkMailboxes(ground, stored);
      const bodies = (await ground.mailbox('bob')).map(({ body }) => Number.parseInt(body, 10));
      expect(bodies).toEqual(bodies.toSorted((a, b) => a - b));
    }),
    { numRuns: 40, endOnFailure: true },
  );
}, 60_000);

test('MSG-3g of equal submissions on two servers one is stored, and nobody else is harmed', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(wishes, { minLength: 2, maxLength: 30 }),
      fc.array(fc.boolean()),
      async (wanted, sides) => {
        const ground = new Ground(nodes[0]!);
        await ground.prepare();
        const submissions = wanted.map((wish, n) => ground.submission(wish, n));
        const both = nodes.map(batcher);
        const settled = await Promise.allSettled(
          submissions.map((submission, n) => both[(sides[n] ?? n % 2 === 0) ? 0 : 1]!.store(submission)),
        );
        const outcomes = settled.map(outcomeOf);
        tally(outcomes);
        const keys = new Map<string, Outcome[]>();
        wanted.forEach((wish, n) => {
          const outcome = outcomes[n]!;
          expect(possible(wish)).toContain(outcome);
          if (wish.key !== null && wish.poison === 'none' && expected(wish) === null)
            keys.set(wish.key, [...(keys.get(wish.key) ?? []), outcome]);
        });
        for (const all of keys.values()) expect(all.toSorted()).toEqual([...all.slice(1).map(() => 'lost'), 'stored']);
        await checkMailboxes(
          ground,
          submissions.filter((_, n) => outcomes[n] === 'stored'),
        );
      },
    ),
    { numRuns: 40, endOnFailure: true },
  );
}, 60_000);
