import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Where } from '../../server/core/database.ts';
import { newId } from '../../server/core/ids.ts';
import { Batcher } from '../../server/messages/batcher.ts';
import type { Verdict } from '../../server/messages/store/submissions.ts';
import type { Copy, Submission } from '../../server/messages/submission.ts';
import { figures } from '../auditor/figures.ts';
import { bareNode, type BareNode } from '../world/bare-node.ts';
import { dropDatabase, newDatabase } from '../world/database.ts';

/** Mostly what is right, and now and then one of the rest. */
const mostly = <const R extends string, const W extends readonly string[]>(right: R, ...rest: W) =>
  fc.oneof(
    { weight: 12, arbitrary: fc.constant<R | W[number]>(right) },
    { weight: 1, arbitrary: fc.constantFrom<R | W[number]>(...rest) },
  );

/** What is asked of a batch, one line a submission, each wrong in a way of its own or not at all. */
const wishes = fc.record({
  key: fc.constantFrom('s1', 's2', 's3', 's4', 's5', null),
  says: fc.constantFrom('x', 'y'),
  to: fc.oneof(
    { weight: 12, arbitrary: fc.constantFrom<string[]>(['bob'], ['carol'], ['bob', 'carol']) },
    { weight: 1, arbitrary: fc.constantFrom<string[]>(['gone'], ['carol', 'gone']) },
  ),
  by: mostly('program', 'revoked', 'expired', 'orphan', 'stranger', 'nobody'),
  lease: mostly('none', 'live', 'ended'),
  answers: mostly('nothing', 'unknown', 'foreign'),
  poison: mostly('none', 'nul', 'nul in metadata', 'long name', 'id in use'),
});
type Wish = typeof wishes extends fc.Arbitrary<infer W> ? W : never;

/** The first thing that is wrong with it, in the order in which the statement looks. */
function expected({ by, lease, answers, to }: Wish): Verdict['refusal'] {
  if (['revoked', 'expired', 'orphan', 'nobody'].includes(by)) return 'signed_out';
  if (lease === 'ended' || (lease === 'live' && by !== 'program')) return 'lease_ended';
  if (by === 'stranger') return 'not_allowed';
  if (answers !== 'nothing') return 'no_reply_to';
  return to.includes('gone') ? 'gone' : null;
}

/** What may become of it beside others on two servers: one that equals another may lose before its fault can show. */
function possible(wish: Wish): Outcome[] {
  if (wish.poison.startsWith('nul')) return ['failed'];
  const refusal = expected(wish);
  if (refusal !== null) return [refusal];
  return [wish.poison === 'none' ? 'stored' : 'failed', ...(wish.key === null ? [] : (['lost'] as const))];
}

/** Rows of one account, new for every run, in one database. */
class Ground {
  readonly #id = newId('acc').slice(-12);
  readonly #node: BareNode;

  constructor(node: BareNode) {
    this.#node = node;
  }

  id(name: string): string {
    return `${name}-${this.#id}`;
  }

  async prepare(): Promise<void> {
    const em = this.#node.orm.em.fork();
    const account = this.id('account');
    await em.execute('insert into account (id, name, name_key) values (?, ?, ?)', [account, account, account]);
    for (const [name, parent, ends] of [
      ['program', null, 'null, null'],
      ['stranger', null, 'null, null'],
      ['revoked', null, 'now(), null'],
      ['expired', null, "null, now() - interval '1 second'"],
      ['orphan', 'revoked', 'null, null'],
    ] as const)
      await em.execute(
        `insert into connection (id, account_id, kind, label, secret_hash, parent_id, revoke_time, expire_time)
         values (?, ?, 'service', '', ?, ?, ${ends})`,
        [this.id(name), account, this.id(name), parent && this.id(parent)],
      );
    for (const name of ['alice', 'bob', 'carol', 'gone'])
      await em.execute(
        `insert into agent (id, account_id, name, name_key, connection_id, remove_time)
         values (?, ?, ?, ?, ?, ${name === 'gone' ? 'now()' : 'null'})`,
        [this.id(name), account, name, name, this.id('program')],
      );
    for (const [name, ended] of [
      ['live', 'null'],
      ['ended', 'now()'],
    ] as const)
      await em.execute(
        `insert into attachment (id, account_id, agent_id, child_id, connection_id, provider, session_id, pid,
                                 process_start, boot_id, origin, folder, computer, start_seq, end_time)
         values (?, ?, ?, ?, ?, '', '', 1, '', '', 'chat', '', '', 0, ${ended})`,
        [this.id(name), account, this.id('alice'), this.id('program'), this.id('program')],
      );
    // A message of another account: nobody here may answer it, and its id is taken.
    await em.execute(
      `insert into message (id, account_id, conversation_id, inbox_id, agent_id, from_agent, to_agent, body, content_type,
                            hop, no_wake)
       values (?, 'another', '', '', null, '', '', '', 'text/plain', 1, false)`,
      [this.id('foreign')],
    );
  }

  submission(wish: Wish, n: number): Submission {
    const body = `${n} ${wish.says}${wish.poison === 'nul' ? '\0' : ''}`;
    const replies = { nothing: null, unknown: 'msg_unknown', foreign: this.id('foreign') } as const;
    return {
      accountId: this.id('account'),
      connectionId: this.id(wish.by),
      attachmentId: wish.lease === 'none' ? null : this.id(wish.lease),
      agentId: this.id('alice'),
      fromAgent: 'alice',
      byName: true,
      submissionId: wish.key,
      digest: wish.says,
      claimId: newId('sub'),
      body,
      contentType: 'text/plain',
      metadata: wish.poison === 'nul in metadata' ? { deep: ['\0'] } : null,
      inReplyTo: replies[wish.answers],
      noWake: false,
      copies: wish.to.map((name, at) => this.#copy(name, at, wish.poison)),
    };
  }

  #copy(name: string, at: number, poison: string): Copy {
    return {
      messageId: poison === 'id in use' && at === 0 ? this.id('foreign') : newId('msg'),
      conversationId: newId('cnv'),
      fromInboxId: newId('inb'),
      fromMailboxId: this.id('alice'),
      toInboxId: newId('inb'),
      toMailboxId: this.id(name),
      toAgentId: this.id(name),
      toAgent: poison === 'long name' ? 'n'.repeat(65) : name,
      fresh: true,
    };
  }

  /** What stands in a mailbox, and under which number. */
  async mailbox(name: string): Promise<{ seq: number; id: string; body: string }[]> {
    return this.#node.orm.em.fork().execute(
      `select d.mailbox_seq::int as seq, m.id, m.body from delivery d join message m on m.id = d.message_id
        where d.mailbox_id = ? order by d.mailbox_seq`,
      [this.id(name)],
    );
  }
}

type Outcome = 'stored' | 'failed' | NonNullable<Verdict['refusal']>;

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

const batcher = (node: BareNode) =>
  new Batcher({ orm: node.orm, notifier: node.notifier, hops: 8, hasRoom: () => true });

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
