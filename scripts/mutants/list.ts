/** One bug: what is replaced in which file, and the test that should notice. */
export interface Mutant {
  readonly name: string;
  readonly file: string;
  /** Stands there exactly once. */
  readonly from: string;
  readonly to: string;
  /** Path, or part of one. */
  readonly test: string;
  readonly project?: 'fast' | 'crash';
  readonly title?: string;
}

const batch = 'test/property/batch.test.ts';
const model = 'test/property/model.test.ts';
const inFlight = 'test/property/in-flight.test.ts';
const atOneMoment = 'test/property/at-one-moment.test.ts';
const storing = 'server/messages/store/submissions.ts';

export const mutants: readonly Mutant[] = [
  {
    name: 'a cursor of another kind is taken',
    file: 'server/core/cursor.ts',
    from: 'if (kind !== place.kind)',
    to: 'if (kind === undefined)',
    test: 'server/core/cursor.test.ts',
  },
  {
    name: 'a cursor of another mailbox is taken',
    file: 'server/core/cursor.ts',
    from: 'if (owner !== place.owner)',
    to: 'if (owner === undefined)',
    test: model,
  },
  {
    name: 'a page is ordered by id instead of number',
    file: 'server/messages/store/pages.ts',
    from: 'order by d.mailbox_seq limit',
    to: 'order by d.message_id limit',
    test: 'test/property/paging.test.ts',
  },
  {
    name: 'numbers of one batch run backwards',
    file: storing,
    from: 'order by copy.i desc, copy.n desc',
    to: 'order by copy.i, copy.n',
    test: batch,
  },
  {
    name: 'the content of a repeated submission is not compared',
    file: 'server/messages/send.ts',
    from: 'found.digest === digest',
    to: 'found.digest !== undefined',
    test: 'test/property/storm.test.ts',
  },
  {
    name: 'a submission id is claimed without regard to an equal one',
    file: storing,
    from: 'on conflict do nothing\n',
    to: '\n',
    test: batch,
  },
  {
    name: 'whoever claims a submission id last wins too',
    file: storing,
    from: 's.claim_id in (select claim_id from claimed)',
    to: 'true',
    test: batch,
  },
  {
    name: 'a revoked sender stores',
    file: storing,
    from: "not ${connectionLive('s.connection_id')}",
    to: 'false',
    test: batch,
  },
  {
    name: 'a sender whose lease ended stores',
    file: storing,
    from: 'a.agent_id = s.agent_id and a.end_time is null\n',
    to: 'a.agent_id = s.agent_id\n',
    test: batch,
  },
  {
    name: 'a message to a removed name is stored',
    file: storing,
    from: 'where a.id = c.to_agent_id and a.remove_time is null',
    to: 'where a.id = c.to_agent_id',
    test: batch,
  },
  {
    name: 'a reply may name a message of another account',
    file: storing,
    from: `m.id = s.in_reply_to and m.account_id = s.account_id
         and (s.agent_id is null or m.agent_id = s.agent_id or exists (
               select from delivery d where d.message_id = m.id and d.mailbox_id = s.agent_id))`,
    to: 'm.id = s.in_reply_to',
    test: batch,
  },
  {
    name: 'one bad row refuses its whole batch',
    file: 'server/messages/batcher.ts',
    from: 'if (!isFaultOfARow(error) || batch.length === 1)',
    to: 'if (error !== undefined)',
    test: batch,
  },
  {
    name: 'a name that was registered anew is remembered as it was',
    file: 'server/messages/send.ts',
    from: 'deps.agents.forget(caller.accountId, copy.toAgent);',
    to: 'void copy;',
    test: 'test/property/remembered-names.test.ts',
  },
  {
    name: 'a sender that was registered anew is remembered as it was',
    file: 'server/messages/send.ts',
    from: 'deps.agents.forget(caller.accountId, submission.fromAgent);',
    to: '',
    test: 'test/property/remembered-names.test.ts',
  },
  {
    name: 'who may not speak by a name hears of its sends',
    file: 'server/messages/send.ts',
    from: '(await maySpeakAs(em, caller.connectionId, agent.id))',
    to: 'em !== undefined',
    test: 'test/contract/messages/retry-rights.test.ts',
  },
  {
    name: 'a revocation waits for no other server',
    file: 'server/access/revoke.ts',
    from: '  await settle();',
    to: '  void settle();',
    test: inFlight,
  },
  {
    name: 'a server answers that it acted while it still stores',
    file: 'server/core/endings.ts',
    from: 'await Promise.allSettled(this.#judging);',
    to: '',
    test: inFlight,
  },
  {
    name: 'a page is released after its right ended',
    file: 'server/messages/watch.ts',
    from: 'hold.check();\n    after =',
    to: 'after =',
    test: inFlight,
  },
  {
    name: 'a receipt goes backwards',
    file: 'server/agents/attachments/acknowledge.ts',
    from: 'from: [1, 4], kind',
    to: 'from: [1, 3, 4], kind',
    test: 'test/contract/attachments/receipts.test.ts',
  },
  {
    name: 'two claims at one moment are both granted',
    file: 'server/agents/attachments/store/offers.ts',
    from: 'order by d.mailbox_seq for update of d',
    to: 'order by d.mailbox_seq',
    test: atOneMoment,
  },
  {
    name: 'what was granted is granted again',
    file: 'server/agents/attachments/store/offers.ts',
    from: "when c.state <> 1 or c.offer_time is not null then 'already_offered'",
    to: "when c.offer_time is not null then 'granted'",
    test: model,
  },
  {
    name: 'an ended lease still claims',
    file: 'server/agents/attachments/store/offers.ts',
    from: 'a.end_time is null and ? in (a.child_id, a.connection_id) and ${CHILD_ALIVE}',
    to: '? in (a.child_id, a.connection_id)',
    test: 'test/contract/attachments',
  },
  {
    name: 'who listens again looks at nothing',
    file: 'server/core/notifier.ts',
    from: 'hub.wakeAll();\n    for',
    to: 'for',
    test: atOneMoment,
  },
  {
    name: 'a server out of touch goes on',
    file: 'server/nodes/lease.ts',
    from: 'return this.#isHeld && this.#age() < FENCE_MS;',
    to: 'return this.#isHeld;',
    test: 'server/nodes',
  },
  {
    name: 'a wake that was lost is never made up for',
    file: 'server/messages/repair.ts',
    from: 'deps.hub.wake(',
    to: 'void (',
    test: 'test/crash/lost-notify.test.ts',
    project: 'crash',
    title: 'died between commit and NOTIFY',
  },
  {
    name: 'a full disk is noticed only by the database',
    file: 'server/core/disk-room.ts',
    from: 'free(folder) > RESERVE_BYTES',
    to: 'free(folder) > 0',
    test: 'server/core/disk-room.test.ts',
  },
];
