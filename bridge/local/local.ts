import type { CallOptions, ConnectRouter } from '@connectrpc/connect';
import { Acknowledgement, AttachOrigin } from '#gen/agentworks/agents/v1/attachments_pb.ts';
import {
  type Asker,
  type AttachRequest,
  type DetachRequest,
  LocalService,
} from '#gen/agentworks/bridge/v1/local_pb.ts';
import type { Attachments } from '../attach/attachments.ts';
import type { Children } from '../attach/child.ts';
import { Refusal } from '../client/index.ts';
import type { Delivery } from '../delivery/delivery.ts';
import { byReach } from '../delivery/setup.ts';
import { untold } from '../delivery/untold.ts';
import type { Journal, SavedLease } from '../journal/journal.ts';
import type { BridgeLink } from '../link/bridge-link.ts';
import type { HostSession, Sessions } from '../sessions/session.ts';
import { type Shown, sessionShown, withoutPlugin } from './shown.ts';
import type { Status } from './status.ts';

export interface LocalDeps extends Shown {
  readonly attachments: Attachments;
  readonly children: Children;
  readonly delivery: Delivery;
  readonly journal: Journal;
  readonly link: Pick<BridgeLink, 'send' | 'acknowledge'>;
  readonly sessions: Pick<Sessions, 'discover' | 'chosen' | 'resolve'>;
  readonly status: Status;
  /** What a hook prints; see bridge/hooks. */
  readonly askHook: (asked: { provider: string; hostPid: number | undefined; body: string }) => Promise<string>;
  /** Asks the process to stop, once the answer is out. */
  readonly stop: () => void;
}

/** What programs of this computer ask of the bridge. Whoever asks for a session proves it by the process it runs in. */
export const localRoutes =
  (deps: LocalDeps) =>
  (router: ConnectRouter): void => {
    router.service(LocalService, {
      async askHook({ provider, hostPid, payload }) {
        const pid = Number(hostPid);
        const asked = { provider, hostPid: pid > 1 ? pid : undefined, body: JSON.stringify(payload ?? {}) };
        return { output: await deps.askHook(asked) };
      },
      async attach(request) {
        const { agentName, purpose } = request;
        const asked = originOf(request);
        const session = asked === 'own' ? own(deps, request.asker) : deps.sessions.chosen(request.sessionKey);
        const origin = asked === 'own' ? originKept(deps.attachments.of(session), agentName) : asked;
        const { lease, notices } = await deps.attachments.attach({ session, agentName, origin, purpose });
        const shown = sessionShown(deps, session, lease);
        return {
          session: shown,
          notices: shown.hasPlugin ? [...notices] : [...notices, withoutPlugin(session.provider)],
        };
      },
      async detach(request) {
        const lease = await toDetach(deps, request);
        const told = await deps.attachments.detach(lease);
        return { agentName: lease.agentName, waitsForServer: told === 'kept' };
      },
      listSessions: () => ({
        sessions: deps.attachments
          .each(deps.sessions.discover())
          .toSorted(
            (a, b) => compare(a.session.provider, b.session.provider) || compare(a.session.folder, b.session.folder),
          )
          .map(({ session, lease }) => sessionShown(deps, session, lease)),
      }),
      getStatus: () => ({ status: deps.status.now() }),
      async *watch(_request, { signal }) {
        for await (const status of deps.status.changes(signal)) yield { status };
      },
      async send({ asker, request }) {
        const { attachmentId, agentName } = attached(deps, asker);
        if (request === undefined) throw missing('request');
        const submissionId = request.submissionId || crypto.randomUUID();
        const sent = await deps.link.send(attachmentId, { ...request, attachmentId, agentName, submissionId });
        return sent === 'queued' ? { queued: true, submissionId } : { sent, submissionId };
      },
      async read({ asker, request }) {
        const lease = attached(deps, asker);
        const { inboxId = '', after = '', pageSize = 0, waitSeconds = 0, fromAgent = '' } = request ?? {};
        const { attachmentId } = lease;
        const asked = { inboxId, after, pageSize, waitSeconds, fromAgent, attachmentId };
        return { page: await deps.children.of(lease).messages.read(asked) };
      },
      async listPeers({ asker }) {
        const lease = attached(deps, asker);
        return { agents: (await peersOf(deps, lease)).filter(({ agentId }) => agentId !== lease.agentId) };
      },
      async acknowledge({ asker, messageIds, acknowledgement }) {
        const { attachmentId } = attached(deps, asker);
        const state = acknowledgement === Acknowledgement.PROCESSED ? 'processed' : 'admitted';
        if (acknowledgement === Acknowledgement.UNSPECIFIED) throw missing('acknowledgement');
        const acknowledged = await deps.link.acknowledge(attachmentId, messageIds, state);
        return acknowledged === 'kept' ? { kept: true } : { acknowledged };
      },
      async setPurpose({ asker, purpose }) {
        const lease = attached(deps, asker);
        const { attachmentId } = lease;
        const { agent } = await deps.children.of(lease).agents.setPurpose({ attachmentId, purpose });
        return agent === undefined ? {} : { agent };
      },
      stop() {
        setImmediate(deps.stop);
        return {};
      },
    });
  };

/** Every agent that this session's child may write to, those that answer soonest first. */
export async function peersOf({ children }: Pick<LocalDeps, 'children'>, lease: SavedLease, options: CallOptions = {}) {
  const agents = [];
  for (let after = ''; ;) {
    const page = await children.of(lease).agents.list({ after }, options);
    agents.push(...page.agents);
    if (page.nextCursor === '') return agents.toSorted(byReach);
    after = page.nextCursor;
  }
}

/** The session that asks, by the nearest host above the process; nothing else names it (ATT-4, BRG-9). */
function own({ sessions }: LocalDeps, asker: Asker | undefined): HostSession {
  if (asker === undefined) throw missing('asker');
  return sessions.resolve(asker);
}

function attached(deps: LocalDeps, asker: Asker | undefined): SavedLease {
  const session = own(deps, asker);
  const lease = deps.attachments.of(session);
  if (lease !== undefined) return lease;
  const sentences = [
    untold(deps.journal.untold(session)),
    'This chat is not attached, so it can neither send nor read. The person attaches it by typing /agentworks attach in it.',
  ];
  throw new Refusal('LEASE_ENDED', sentences.filter((one) => one !== '').join(' '), { subject: 'asker' });
}

function originOf({ origin, asker, sessionKey }: AttachRequest): SavedLease['origin'] {
  if (origin === AttachOrigin.OWN) {
    if (sessionKey !== '')
      throw new Refusal('BAD_FIELD', 'An agent attaches its own session only; leave session_key empty.', {
        subject: 'session_key',
      });
    // A process may outlive the chat it was started in: after /clear it runs below another one (ATT-4).
    if ((asker?.sessionId ?? '') === '')
      throw new Refusal('BAD_FIELD', 'The session id is missing. Run this in the chat itself, whose shell has it.', {
        subject: 'asker.session_id',
      });
    return 'own';
  }
  // In a chat only its host's own event attaches, and that does not come this way.
  if (origin !== AttachOrigin.TERMINAL || asker !== undefined)
    throw new Refusal('BAD_FIELD', 'Choose a session from the list, or attach your own.', { subject: 'origin' });
  return 'terminal';
}

/** An agent's own attach renews what is there; it renames nothing, and what the person attached stays theirs to end (ATT-4). */
function originKept(lease: SavedLease | undefined, agentName: string): SavedLease['origin'] {
  if (lease === undefined) return 'own';
  if (agentName === '' || agentName.toLowerCase() === lease.agentName.toLowerCase()) return lease.origin;
  const sentence = `This chat is attached as ${lease.agentName} already, and its own attach does not rename it. The person can: /agentworks attach ${agentName}`;
  throw new Refusal('NOT_ALLOWED', sentence, { subject: 'agent_name' });
}

async function toDetach(deps: LocalDeps, { asker, sessionKey, agentName }: DetachRequest): Promise<SavedLease> {
  if (asker !== undefined) {
    const lease = attached(deps, asker);
    if (lease.origin === 'own') return lease;
    const sentence = `The person attached this chat as ${lease.agentName}; ask the person to detach it.`;
    throw new Refusal('NOT_ALLOWED', sentence, { subject: 'asker' });
  }
  const lease =
    sessionKey === ''
      ? deps.journal.leases().find((one) => one.agentName.toLowerCase() === agentName.toLowerCase())
      : deps.attachments.of(deps.sessions.chosen(sessionKey));
  if (lease !== undefined) return lease;
  throw new Refusal('NOT_FOUND', `${agentName || 'That session'} is not attached on this computer.`, {
    subject: agentName,
  });
}

const missing = (field: string): Refusal => new Refusal('BAD_FIELD', `${field} is not said.`, { subject: field });

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
