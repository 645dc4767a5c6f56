import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import type { Known } from '../access/callers.ts';
import type { Directory } from '../agents/directory.ts';
import type { Clock } from '../core/clock.ts';
import { type Place, readCursor, writeCursor } from '../core/cursor.ts';
import type { Database, Manager } from '../core/database.ts';
import type { Hub } from '../core/hub.ts';
import { limits } from '../core/limits.ts';
import { Problem } from '../core/problem.ts';
import { unknownName } from './decide.ts';
import type { Page } from './page.ts';
import { leaseIsLive, type Reader, type ReadRefusal, readPage } from './store/pages.ts';
import type { Sides } from './store/sides.ts';

export interface ReadDeps {
  readonly orm: Database;
  readonly hub: Hub;
  readonly clock: Clock;
  readonly epoch: string;
  readonly agents: Directory;
  readonly sides: (accountId: string, inboxId: string) => Promise<Sides | undefined>;
}

/** Which mailbox or side is meant, and through which attachment. */
export interface WhatToRead {
  readonly agentName: string;
  readonly inboxId: string;
  readonly fromAgent: string;
  readonly attachmentId: string;
}

/** A reader who knows what it reads: where its cursor belongs, and what wakes it. */
export interface Reading {
  readonly reader: Reader;
  readonly place: Place;
  readonly topic: string;
  readonly fromAgent: string;
}

export async function read(
  deps: ReadDeps,
  caller: Known,
  input: WhatToRead & { after: string; pageSize: number; waitSeconds: number },
  signal: AbortSignal,
): Promise<Page> {
  const reading = await startReading(deps, caller, input);
  using waiter = deps.hub.subscribe(reading.topic);
  let page = await pageOf(deps, reading, input.after, input.pageSize);
  if (page.messages.length > 0 || input.waitSeconds === 0) return page;
  const over = new AbortController();
  const until = AbortSignal.any([signal, over.signal]);
  void deps.clock.wait(input.waitSeconds * 1000, until).then(() => over.abort());
  while (page.messages.length === 0 && !until.aborted) {
    await waiter.next(until);
    page = await pageOf(deps, reading, input.after, input.pageSize);
  }
  over.abort();
  return page;
}

/** Settles what is read. Whether the caller may is judged with every page. */
export async function startReading(deps: ReadDeps, caller: Known, what: WhatToRead): Promise<Reading> {
  const mailbox = await whichMailbox(deps, caller, what);
  const [kind, id] =
    'agentId' in mailbox ? (['mailbox', mailbox.agentId] as const) : (['inbox', mailbox.inboxId] as const);
  const filter = what.fromAgent === '' ? '' : `<${what.fromAgent.toLowerCase()}`;
  return {
    reader: {
      connectionId: caller.connectionId,
      accountId: caller.accountId,
      childOf: caller.kind === 'child' ? caller.agentId : null,
      attachmentId: what.attachmentId || null,
      mailbox: 'agentId' in mailbox ? mailbox : { inboxId: mailbox.inboxId },
    },
    place: { kind, owner: `${id}${filter}`, epoch: deps.epoch },
    topic: `mailbox:${'agentId' in mailbox ? mailbox.agentId : mailbox.mailboxId}`,
    fromAgent: what.fromAgent,
  };
}

async function whichMailbox(
  deps: ReadDeps,
  caller: Known,
  what: WhatToRead,
): Promise<{ agentId: string } | { inboxId: string; mailboxId: string }> {
  if (what.agentName !== '' && what.inboxId !== '')
    throw new Problem(Reason.BAD_FIELD, 'give either agent_name or inbox_id', { subject: 'agent_name' });
  if (what.inboxId !== '') {
    const side = await deps.sides(caller.accountId, what.inboxId);
    if (side === undefined) throw refused('not_found', what);
    return { inboxId: side.inboxId, mailboxId: side.mailboxId };
  }
  if (what.agentName === '') {
    if (caller.kind === 'child') return { agentId: caller.agentId };
    throw new Problem(Reason.BAD_FIELD, 'give either agent_name or inbox_id', { subject: 'agent_name' });
  }
  // A remembered name could be one that was removed and registered anew.
  deps.agents.forget(caller.accountId, what.agentName);
  const agent = await deps.agents.find(caller, what.agentName);
  if (agent === undefined) throw await unknownName(deps, caller, what.agentName, 'agent_name');
  return { agentId: agent.id };
}

/** One page, with authority judged as it is read; consumes nothing (MSG-5). */
export async function pageOf(deps: ReadDeps, reading: Reading, after: string, pageSize: number): Promise<Page> {
  const position = readCursor(reading.place, after, '0');
  const size = pageSize || limits.pageSize.max;
  const { refusal, messages } = await readPage(deps.orm.em.fork(), reading.reader, position, size, reading.fromAgent);
  if (refusal !== undefined) throw refused(refusal, reading);
  if ('agentId' in reading.reader.mailbox) deps.agents.seen(reading.reader.mailbox.agentId);
  return { messages, nextCursor: writeCursor(reading.place, messages.at(-1)?.seq ?? position) };
}

/** A child reads through its live lease and through no other (ATT-7). */
export async function requireLease(em: Manager, caller: Known, attachmentId: string): Promise<void> {
  if (caller.kind !== 'child') return;
  const child = { childOf: caller.agentId, connectionId: caller.connectionId, attachmentId };
  if (!(await leaseIsLive(em, child))) throw leaseEnded();
}

const leaseEnded = (): Problem =>
  new Problem(
    Reason.LEASE_ENDED,
    'a child connection names its live attachment in attachment_id; this one was replaced or detached, or was not named',
    { subject: 'attachment_id' },
  );

function refused(refusal: ReadRefusal, about: WhatToRead | Reading): Problem {
  const byAgent = 'reader' in about ? 'agentId' in about.reader.mailbox : about.inboxId === '';
  switch (refusal) {
    case 'signed_out':
      return new Problem(Reason.SIGNED_OUT, 'the connection was revoked or expired; run `agentworks login`');
    case 'lease_ended':
      return leaseEnded();
    case 'unconfirmed':
      return new Problem(Reason.NOT_ALLOWED, 'this attachment waits for the person to confirm it', {
        subject: 'attachment_id',
      });
    case 'not_found':
      return byAgent
        ? new Problem(Reason.NOT_FOUND, 'that agent was unregistered; `agentworks messages list` shows the names', {
            subject: 'agent_name',
          })
        : new Problem(Reason.NOT_FOUND, 'there is no such inbox; read the mailbox for the address to use', {
            subject: 'inbox_id',
          });
    case 'ahead':
      return new Problem(Reason.BAD_CURSOR, 'the cursor is ahead of everything there is; start again with 0', {
        subject: 'after',
      });
    case 'not_allowed':
      return new Problem(
        Reason.NOT_ALLOWED,
        'this connection may not read that mailbox; register the name from here, or have the person allow this connection with --allow-connection',
        { subject: 'agent_name' },
      );
  }
}
