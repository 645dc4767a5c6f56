import fc from 'fast-check';
import { newId } from '../../server/core/ids.ts';
import type { Verdict } from '../../server/messages/store/submissions.ts';
import type { Copy, Submission } from '../../server/messages/submission.ts';
import type { BareNode } from '../world/bare-node.ts';

/** Mostly what is right, and now and then one of the rest. */
const mostly = <const R extends string, const W extends readonly string[]>(right: R, ...rest: W) =>
  fc.oneof(
    { weight: 12, arbitrary: fc.constant<R | W[number]>(right) },
    { weight: 1, arbitrary: fc.constantFrom<R | W[number]>(...rest) },
  );

/** What is asked of a batch, one line a submission, each wrong in a way of its own or not at all. */
export const wishes = fc.record({
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
export type Wish = typeof wishes extends fc.Arbitrary<infer W> ? W : never;

/** The first thing that is wrong with it, in the order in which the statement looks. */
export function expected({ by, lease, answers, to }: Wish): Verdict['refusal'] {
  if (['revoked', 'expired', 'orphan', 'nobody'].includes(by)) return 'signed_out';
  if (lease === 'ended' || (lease === 'live' && by !== 'program')) return 'lease_ended';
  if (by === 'stranger') return 'not_allowed';
  if (answers !== 'nothing') return 'no_reply_to';
  return to.includes('gone') ? 'gone' : null;
}

/** Rows of one account, new for every run, in one database. */
export class Ground {
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
