import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import { mayReach, type Viewer } from '../access/bounds.ts';
import type { Known } from '../access/callers.ts';
import type { Directory } from '../agents/directory.ts';
import { newId } from '../core/ids.ts';
import { limits } from '../core/limits.ts';
import { Problem } from '../core/problem.ts';
import type { Sides } from './store/sides.ts';
import { type Copy, digestOf, type Submission } from './submission.ts';
import { readTarget } from './target.ts';

/** What a sender says, after the field rules of the door. */
export interface SendInput {
  readonly target: string;
  readonly inboxId: string;
  readonly body: string;
  readonly submissionId: string;
  readonly agentName: string;
  readonly contentType: string;
  readonly metadata?: object | undefined;
  readonly inReplyTo: string;
  readonly noWake: boolean;
  readonly attachmentId: string;
}

export interface DecideDeps {
  readonly agents: Directory;
  readonly sides: (accountId: string, inboxId: string) => Promise<Sides | undefined>;
}

interface Sender {
  readonly agentId: string | null;
  readonly name: string;
  readonly byName: boolean;
}

/** Everything of a send that can be said before it is stored: who speaks, to whom, under which new ids. */
export async function decide(deps: DecideDeps, caller: Known, input: SendInput): Promise<Submission> {
  if ((input.target === '') === (input.inboxId === ''))
    throw new Problem(Reason.BAD_FIELD, 'give either target or inbox_id', { subject: 'target' });
  const said = normalised(input);
  const { sender, copies } =
    input.inboxId === '' ? await toTarget(deps, caller, input) : await fromSide(deps, caller, input);
  return {
    accountId: caller.accountId,
    connectionId: caller.connectionId,
    attachmentId: input.attachmentId || null,
    agentId: sender.agentId,
    fromAgent: sender.name,
    byName: sender.byName,
    submissionId: input.submissionId || null,
    digest: digestOf(said),
    claimId: newId('sub'),
    body: said.body,
    contentType: said.contentType,
    metadata: said.metadata,
    inReplyTo: said.inReplyTo || null,
    noWake: said.noWake,
    copies,
  };
}

/** What the reader would see, with the defaults filled in: the digest of a submission is taken over this. */
export const normalised = (input: SendInput) => ({
  target: input.target,
  inboxId: input.inboxId,
  body: input.body,
  contentType: input.contentType || 'text/plain',
  metadata: input.metadata ?? null,
  inReplyTo: input.inReplyTo,
  noWake: input.noWake,
});

/** A first message always opens a conversation of its own (MSG-2). */
async function toTarget(deps: DecideDeps, caller: Known, input: SendInput) {
  const target = readTarget(input.target);
  const sender = await speaker(deps, caller, input);
  if (target.kind === 'crew' || target.kind === 'workflow')
    throw new Problem(Reason.NOT_FOUND, `there is no ${target.kind} called ${quoted(target.name)} on this server`, {
      subject: 'target',
    });
  const recipients =
    target.kind === 'everyone'
      ? await everyoneBut(deps, caller, sender)
      : [await recipient(deps, caller, target.name, sender)];
  return { sender, copies: recipients.map((to) => firstCopy(sender, to)) };
}

async function speaker(deps: DecideDeps, caller: Known, input: SendInput): Promise<Sender> {
  if (caller.kind === 'child') return ownAgent(caller, input);
  if (input.agentName === '') return { agentId: null, name: '', byName: false };
  const agent = await deps.agents.find(caller, input.agentName);
  if (agent === undefined) throw await unknownName(deps, caller, input.agentName, 'agent_name');
  return { agentId: agent.id, name: agent.name, byName: true };
}

/** A child speaks as its own agent, through its live attachment, and never as anyone else (ATT-7). */
function ownAgent(caller: Known & { kind: 'child' }, input: SendInput): Sender {
  if (input.attachmentId === '')
    throw new Problem(Reason.BAD_FIELD, 'a child connection names its live attachment in attachment_id', {
      subject: 'attachment_id',
    });
  if (input.agentName !== '' && input.agentName.toLowerCase() !== caller.agentName.toLowerCase())
    throw new Problem(
      Reason.NOT_ALLOWED,
      `this connection speaks only as ${caller.agentName}; leave agent_name empty`,
      {
        subject: 'agent_name',
      },
    );
  return { agentId: caller.agentId, name: caller.agentName, byName: false };
}

async function recipient(deps: DecideDeps, viewer: Viewer, name: string, sender: Sender) {
  const to = await deps.agents.find(viewer, name);
  if (to === undefined) throw await unknownName(deps, viewer, name, 'target');
  if (to.id === sender.agentId)
    throw new Problem(Reason.SELF_SEND, `${to.name} cannot send to itself; name another agent`, { subject: 'target' });
  return to;
}

async function everyoneBut(deps: DecideDeps, viewer: Viewer, sender: Sender) {
  const others = (await deps.agents.names(viewer)).filter((agent) => agent.id !== sender.agentId);
  const bound = limits.broadcastRecipients.max;
  if (others.length > bound)
    throw new Problem(
      Reason.LIMIT_EXCEEDED,
      `the account has ${others.length} other agents; a broadcast reaches ${bound}`,
      {
        subject: 'target',
        bound,
      },
    );
  if (others.length === 0)
    throw new Problem(Reason.NOT_FOUND, 'the account has no other agent to send to; register one first', {
      subject: 'target',
    });
  return others;
}

function firstCopy(sender: Sender, to: { id: string; name: string }): Copy {
  const fromInboxId = newId('inb');
  return {
    messageId: newId('msg'),
    conversationId: newId('cnv'),
    fromInboxId,
    // A side without a name is its own mailbox.
    fromMailboxId: sender.agentId ?? fromInboxId,
    toInboxId: newId('inb'),
    toMailboxId: to.id,
    toAgentId: to.id,
    toAgent: to.name,
    fresh: true,
  };
}

/** Speaks from one side of a conversation that is there (MSG-2). Any client of the account may hold it (MSG-4). */
async function fromSide(deps: DecideDeps, caller: Known, input: SendInput) {
  const side = await deps.sides(caller.accountId, input.inboxId);
  if (caller.kind === 'child') ownAgent(caller, input);
  const isOthers = caller.kind === 'child' && side?.agentId !== caller.agentId;
  if (side === undefined || isOthers || !mayReach(caller, side.agentName) || !mayReach(caller, side.peerAgentName))
    throw new Problem(Reason.NOT_FOUND, 'there is no such inbox; read the mailbox for the address to reply to', {
      subject: 'inbox_id',
    });
  if (input.agentName !== '' && input.agentName.toLowerCase() !== side.agentName.toLowerCase())
    throw new Problem(
      Reason.BAD_FIELD,
      `that inbox is ${side.agentName === '' ? "the account's own" : `${side.agentName}'s`} side; leave agent_name empty`,
      { subject: 'agent_name' },
    );
  const copy: Copy = {
    messageId: newId('msg'),
    conversationId: side.conversationId,
    fromInboxId: side.inboxId,
    fromMailboxId: side.mailboxId,
    toInboxId: side.peerInboxId,
    toMailboxId: side.peerMailboxId,
    toAgentId: side.peerAgentId,
    toAgent: side.peerAgentName,
    fresh: false,
  };
  return { sender: { agentId: side.agentId, name: side.agentName, byName: false }, copies: [copy] };
}

const quoted = (name: string): string => JSON.stringify(name.slice(0, limits.agentNameCharacters.max));

/** A wrong name stores nothing and says which names are near (MSG-19). */
export async function unknownName(deps: Pick<DecideDeps, 'agents'>, viewer: Viewer, name: string, subject: string) {
  const suggestions = await deps.agents.suggest(viewer, name);
  const hint =
    suggestions.length > 0
      ? `did you mean ${suggestions.join(', ')}?`
      : '`agentworks messages list` shows the names there are';
  return new Problem(Reason.NOT_FOUND, `no agent is called ${quoted(name)}; ${hint}`, { subject, suggestions });
}
